"""`GloVe` and `FastText`: pretrained embeddings, and the registry of embedding classes."""

import os
from collections.abc import Callable
from typing import Any, ClassVar

from opforge import ndarray as nd
from opforge.ndarray import NDArray

from ...registry import get_create_func, get_register_func, get_registry
from .token_embedding import TokenEmbedding
from .vocab import Vocabulary

__all__ = ["FastText", "GloVe", "create", "get_pretrained_file_names", "register"]

_Root = str | os.PathLike[str] | None

_GLOVE_SIZES = {"42B": [300], "6B": [50, 100, 200, 300], "840B": [300]}
_TWITTER_SIZES = [25, 50, 100, 200]
#: Languages of FastText's Wikipedia vectors, and of the aligned ones.
_LANGUAGES = """
    aa ab ace ady af ak als am an ang ar arc arz as ast av ay az azb ba bar bat_smg bcl be bg bh bi
    bjn bm bn bo bpy br bs bug bxr ca cbk_zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb cu cv
    cy da de diq dsb dv dz ee el eml en eo es et eu ext fa ff fi fiu_vro fj fo fr frp frr fur fy ga
    gag gan gd gl glk gn gom got gu gv ha hak haw he hi hif ho hr hsb ht hu hy hz ia id ie ig ii ik
    ilo io is it iu ja jam jbo jv ka kaa kab kbd kg ki kj kk kl km kn ko koi kr krc ks ksh ku kv kw
    ky la lad lb lbe lez lg li lij lmo ln lo lrc lt ltg lv mai map_bms mdf mg mh mhr mi min mk ml mn
    mo mr mrj ms mt mus mwl my myv mzn na nah nap nds nds_nl ne new ng nl nn no nov nrm nso nv ny oc
    olo om or os pa pag pam pap pcd pdc pfl pi pih pl pms pnb pnt ps pt qu rm rmy rn ro roa_rup
    roa_tara ru rue rw sa sah sc scn sco sd se sg sh si simple sk sl sm sn so sq sr srn ss st stq su
    sv sw szl ta tcy te tet tg th ti tk tl tn to tpi tr ts tt tum tw ty tyv udm ug uk ur uz ve vec
    vep vi vls vo wa war wo wuu xal xh xmf yi yo za zea zh zh_classical zh_min_nan zh_yue zu
"""
_ALIGNED = (
    "ar bg ca cs da de el en es et fi fr he hr hu id it mk nl no pl pt ro ru sk sl sv tr uk vi"
)

_register = get_register_func(TokenEmbedding, "token embedding")
_create = get_create_func(TokenEmbedding, "token embedding")


def register(embedding_cls: type[Any]) -> type[Any]:
    """Register an embedding class under its lower-case name; usable as a decorator."""
    return _register(embedding_cls)


def create(embedding_name: str, **kwargs: Any) -> Any:
    """Create an embedding by the name of its registered class.

    Parameters
    ----------
    embedding_name : str
        Case-insensitive name: "glove", "fasttext" or a registered one.
    **kwargs
        Arguments of the class, for instance ``pretrained_file_name``.
    """
    return _create(embedding_name, **kwargs)


def get_pretrained_file_names(embedding_name: str | None = None) -> Any:
    """Return the names of the pretrained files of an embedding.

    Parameters
    ----------
    embedding_name : str, optional

    Returns
    -------
    list of str, or dict of str to list of str
        Names for the embedding, or for all registered ones.

    Raises
    ------
    KeyError
        The embedding does not exist.
    """
    every = {
        name: list(getattr(kind, "pretrained_file_name_sha1", ()))
        for name, kind in get_registry(TokenEmbedding).items()
    }
    if embedding_name is None:
        return every
    if embedding_name not in every:
        raise KeyError(
            f"Cannot find `embedding_name` {embedding_name}; "
            f"expected one of {', '.join(sorted(every))}"
        )
    return every[embedding_name]


class _Published(TokenEmbedding):
    """Base of pretrained embeddings; subclasses list the available files."""

    def __init__(
        self,
        pretrained_file_name: str,
        embedding_root: _Root,
        init_unknown_vec: Callable[..., NDArray],
        vocabulary: Vocabulary | None,
        download: bool,
        **kwargs: Any,
    ) -> None:
        self._check_pretrained_file_names(pretrained_file_name)
        super().__init__(**kwargs)
        path = self._get_pretrained_file(embedding_root, pretrained_file_name, download)
        self._load_embedding(path, " ", init_unknown_vec)
        self._build_embedding_for_vocabulary(vocabulary)


@register
class GloVe(_Published):
    """GloVe embedding, from co-occurrence counts (Pennington, Socher and Manning, 2014).

    The files are those of https://nlp.stanford.edu/projects/glove/, under the Public Domain
    Dedication and License.

    Parameters
    ----------
    pretrained_file_name : str, default "glove.840B.300d.txt"
        See `get_pretrained_file_names`.
    embedding_root : path-like, optional
        Folder whose subfolder ``glove`` contains the file or its archive; default: the folder
        ``embeddings`` of `OPFORGE_HOME`.
    init_unknown_vec : callable, default nd.zeros
        Returns the unknown token's vector; called with ``shape=``.
    vocabulary : Vocabulary, optional
        Keep only its tokens.
    download : bool, default False
        Download the file if it is missing; some have two gigabytes.
    **kwargs
        Arguments of `Vocabulary`.

    Raises
    ------
    MissingFileError
        The file is missing; the message says where to put it.
    KeyError
        The name is unknown.
    """

    pretrained_file_name_sha1: ClassVar[Any] = dict.fromkeys(
        [f"glove.{words}.{n}d.txt" for words, sizes in _GLOVE_SIZES.items() for n in sizes]
        + [f"glove.twitter.27B.{n}d.txt" for n in _TWITTER_SIZES]
    )

    def __init__(
        self,
        pretrained_file_name: str = "glove.840B.300d.txt",
        embedding_root: _Root = None,
        init_unknown_vec: Callable[..., NDArray] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        download: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            pretrained_file_name, embedding_root, init_unknown_vec, vocabulary, download, **kwargs
        )

    @classmethod
    def _get_download_file_name(cls, pretrained_file_name: str) -> str:
        stem = pretrained_file_name.removesuffix(".txt")
        corpus = stem.rpartition(".")[0]
        # A corpus with vectors of several sizes has one archive for all of them.
        return f"{stem}.zip" if corpus in ("glove.42B", "glove.840B") else f"{corpus}.zip"


@register
class FastText(_Published):
    """fastText embedding, from subword vectors (Bojanowski, Grave, Joulin and Mikolov, 2016).

    The files are those of https://fasttext.cc/, under CC BY-SA 3.0. Only word vectors are read:
    words that are not in the file get the unknown token's vector.

    Parameters
    ----------
    pretrained_file_name : str, default "wiki.simple.vec"
        See `get_pretrained_file_names`.
    embedding_root, init_unknown_vec, vocabulary, download, **kwargs
        As for `GloVe`; the subfolder is ``fasttext``.

    Raises
    ------
    MissingFileError, KeyError
        As for `GloVe`.
    """

    pretrained_file_name_sha1: ClassVar[Any] = dict.fromkeys(
        ["crawl-300d-2M.vec", "wiki-news-300d-1M.vec", "wiki-news-300d-1M-subword.vec"]
        + [f"wiki.{language}.vec" for language in _LANGUAGES.split()]
        + [f"wiki.multi.{language}.vec" for language in _ALIGNED.split()]
    )

    def __init__(
        self,
        pretrained_file_name: str = "wiki.simple.vec",
        embedding_root: _Root = None,
        init_unknown_vec: Callable[..., NDArray] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        download: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            pretrained_file_name, embedding_root, init_unknown_vec, vocabulary, download, **kwargs
        )

    @classmethod
    def _get_download_file_name(cls, pretrained_file_name: str) -> str:
        return f"{pretrained_file_name.removesuffix('.vec')}.zip"
