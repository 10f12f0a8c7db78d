"""Arguments of `im2rec`."""

import argparse

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        "im2rec",
        description="Create a list of the images in a folder (--list), or record files from lists.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("prefix", help="path of the .lst, .rec and .idx files, without the suffix")
    parser.add_argument("root", help="folder with the images")
    _add_list(parser.add_argument_group("lists"))
    _add_records(parser.add_argument_group("record files"))
    return parser


def _add_list(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--list",
        action="store_true",
        help="write PREFIX.lst; without it, convert each list PREFIX*.lst to a record file",
    )
    group.add_argument(
        "--exts", nargs="+", default=[".jpeg", ".jpg", ".png"], help="suffixes of images"
    )
    group.add_argument(
        "--chunks", type=int, default=1, help="number of lists to split the images into"
    )
    group.add_argument(
        "--train-ratio", type=float, default=1.0, help="share of images in PREFIX_train.lst"
    )
    group.add_argument(
        "--test-ratio",
        type=float,
        default=0.0,
        help="share of images in PREFIX_test.lst; the rest is in PREFIX_val.lst",
    )
    group.add_argument(
        "--recursive",
        action="store_true",
        help="search subfolders and use each as a label; without it, all labels are 0",
    )
    group.add_argument(
        "--shuffle",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="shuffle the lists, reproducibly",
    )


def _add_records(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--pass-through", action="store_true", help="store the files unchanged, without decoding"
    )
    group.add_argument(
        "--resize", type=int, default=0, help="length of the shorter side; 0: unchanged"
    )
    group.add_argument(
        "--allow-outside-root",
        action="store_true",
        help="also read list entries outside ROOT: absolute paths, '..', symbolic links",
    )
    group.add_argument("--center-crop", action="store_true", help="crop the central square")
    group.add_argument(
        "--quality",
        type=int,
        default=95,
        help="quality of JPEGs, 1 to 100; compression of PNGs, 1 to 9",
    )
    group.add_argument(
        "--num-thread", type=int, default=1, help="number of threads that decode and encode"
    )
    group.add_argument(
        "--color", type=int, default=1, choices=[-1, 0, 1], help="1: color, 0: gray, -1: unchanged"
    )
    group.add_argument(
        "--encoding", default=".jpg", choices=[".jpg", ".png"], help="image format of the records"
    )
    group.add_argument(
        "--pack-label", action="store_true", help="pack all labels of a line, not only the first"
    )
