from opforge.notebook.callback import args_wrapper


class Callback:
    def __init__(self, **functions):
        self.functions = functions

    def callback_args(self):
        return self.functions


def test_functions_of_several_objects_are_lists():
    one = Callback(batch_end_callback=print, eval_end_callback=len)
    other = Callback(batch_end_callback=repr)
    assert args_wrapper(one, other) == {
        "batch_end_callback": [print, repr],
        "eval_end_callback": [len],
    }
