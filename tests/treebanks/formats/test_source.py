from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks.formats import source

TEXT = "(S (NN naïve))\n(S (NN cat))\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.mrg"


def fault(path: str | Path, encoding: str = "utf-8") -> InputError:
    with pytest.raises(InputError) as caught:
        list(source.lines(path, encoding=encoding))
    return caught.value


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "UTF8", "latin-1", "utf-16", "utf-8-sig"])
def test_encodings_and_newlines(file: Path, encoding: str, newline: str) -> None:
    file.write_bytes(TEXT.replace("\n", newline).encode(encoding))
    assert list(source.lines(file, encoding=encoding)) == TEXT.splitlines(keepends=True)


def test_byte_order_mark_is_accepted(file: Path) -> None:
    file.write_bytes(TEXT.encode("utf-8-sig"))
    assert list(source.lines(file)) == TEXT.splitlines(keepends=True)


def test_gzip_is_recognised_by_content(tmp_path: Path) -> None:
    for name in ("a.mrg.gz", "a.mrg"):
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as out:
            out.write(TEXT)
        assert list(source.lines(tmp_path / name)) == TEXT.splitlines(keepends=True)


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg.gz"
    content = gzip.compress(os.urandom(3000).hex().encode())
    path.write_bytes(content[:-9])
    error = fault(path)
    assert error.what == "the gzipped file ends too early"
    assert error.where == str(path)
    path.write_bytes(content[:40] + bytes(200) + content[240:])
    assert "cannot be read" in fault(path).what


@pytest.mark.parametrize("buffer", [io.BytesIO, lambda data: io.BufferedReader(io.BytesIO(data))])
def test_standard_input(buffer: type[io.BytesIO], monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(buffer(TEXT.encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert list(source.lines("-")) == TEXT.splitlines(keepends=True)
    assert not stdin.buffer.closed
    assert source.name_of("-") == "<stdin>"


def test_latin1_read_as_utf8(file: Path) -> None:
    file.write_bytes(b"(S (NN cat))\r\n" + TEXT.encode("latin-1"))
    got: list[str] = []
    with pytest.raises(InputError) as caught:
        got.extend(line for line in source.lines(file))
    assert caught.value.where == f"{file}:2:10"
    assert "0xef is not valid in utf-8" in caught.value.what
    assert "--encoding latin-1" in caught.value.fix


def test_what_stands_before_a_bad_byte_is_given_out(file: Path) -> None:
    file.write_bytes(b"(S (NN cat))\n(S (NN \xff))\n")
    lines = source.lines(file)
    assert next(lines) == "(S (NN cat))\n"
    with pytest.raises(InputError):
        next(lines)


def test_utf8_cut_off_at_the_end(file: Path) -> None:
    file.write_bytes("(S (NN é".encode()[:-1])
    assert fault(file).where == f"{file}:1:8"


def test_binary_content(file: Path) -> None:
    file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    error = fault(file)
    assert error.where == f"{file}:3:1"
    assert "binary" in error.what
    file.write_bytes(TEXT.encode("utf-16"))
    assert "--encoding utf-16" in fault(file).fix


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    assert fault(tmp_path / "none.mrg").what == "no such file"
    assert fault(tmp_path).what == "this is a directory"
    assert fault(tmp_path).where == str(tmp_path)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "cannot be opened" in fault(loop).what


@pytest.mark.parametrize("encoding", ["utf-9", "hex"])
def test_unknown_encoding(file: Path, encoding: str) -> None:
    file.write_text(TEXT)
    assert "unknown encoding" in fault(file, encoding).what


@given(st.text(st.sampled_from("ab\r\né猫\u2028\x85\x0c "), max_size=30), st.integers(1, 8))
def test_blocks_make_no_difference(tmp_path_factory: pytest.TempPathFactory, text: str, size: int) -> None:
    path = tmp_path_factory.mktemp("blocks") / "a.txt"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_BLOCK", size)
        got = list(source.lines(path))
    assert got == list(io.StringIO(text, newline=None))
