"""The arguments of `im2rec`."""

import argparse

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    made = argparse.ArgumentParser(
        "im2rec",
        description="Make a list of the images in a folder (--list), then a record file of it.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    made.add_argument("prefix", help="path of the .lst, .rec and .idx files, without the suffix")
    made.add_argument("root", help="folder with the images")
    _add_list(made.add_argument_group("lists"))
    _add_records(made.add_argument_group("record files"))
    return made


def _add_list(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--list",
        action="store_true",
        help="write PREFIX.lst; otherwise each list that begins with PREFIX becomes a record file",
    )
    group.add_argument(
        "--exts", nargs="+", default=[".jpeg", ".jpg", ".png"], help="suffixes of images"
    )
    group.add_argument("--chunks", type=int, default=1, help="into how many lists to cut it")
    group.add_argument(
        "--train-ratio", type=float, default=1.0, help="share that goes into PREFIX_train.lst"
    )
    group.add_argument(
        "--test-ratio",
        type=float,
        default=0.0,
        help="share that goes into PREFIX_test.lst; the rest goes into PREFIX_val.lst",
    )
    group.add_argument(
        "--recursive",
        action="store_true",
        help="go into folders: each is a label; otherwise all labels are 0",
    )
    group.add_argument(
        "--shuffle",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="shuffle the lists, in the same way each time",
    )


def _add_records(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--pass-through", action="store_true", help="take the files as they are, undecoded"
    )
    group.add_argument(
        "--resize", type=int, default=0, help="size of the shorter edge; 0: as it is"
    )
    group.add_argument(
        "--allow-outside-root",
        action="store_true",
        help="read entries of lists outside of ROOT too: absolute paths, '..', symbolic links",
    )
    group.add_argument("--center-crop", action="store_true", help="cut the middle square")
    group.add_argument(
        "--quality", type=int, default=95, help="of JPEGs, 1 to 100; compression of PNGs, 1 to 9"
    )
    group.add_argument("--num-thread", type=int, default=1, help="threads that decode and encode")
    group.add_argument(
        "--color", type=int, default=1, choices=[-1, 0, 1], help="1: color, 0: gray, -1: as it is"
    )
    group.add_argument(
        "--encoding", default=".jpg", choices=[".jpg", ".png"], help="of the records"
    )
    group.add_argument(
        "--pack-label", action="store_true", help="pack all labels of a line, not the first alone"
    )
