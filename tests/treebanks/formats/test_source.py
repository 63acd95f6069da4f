from __future__ import annotations

import codecs
import encodings
import encodings.aliases
import gzip
import io
import os
import pkgutil
import threading
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


NO_ENCODINGS = ["idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "a\0b", "\ud800", ""]


@pytest.mark.parametrize("encoding", NO_ENCODINGS)
def test_encodings_of_anything_but_files(file: Path, encoding: str) -> None:
    file.write_text(TEXT)
    assert "unknown encoding" in fault(file, encoding).what


@pytest.mark.parametrize("encoding", ["utf-16", "u16", "utf-32"])
def test_no_byte_order_mark(file: Path, encoding: str) -> None:
    file.write_bytes(TEXT.encode(encoding + "-le" if "-" in encoding else "utf-16-le"))
    error = fault(file, encoding)
    assert "no byte order mark" in error.what
    assert error.where == f"{file}:1:1"
    assert f"--encoding {codecs.lookup(encoding).name}-le" in error.fix


def all_encodings() -> list[str]:
    modules = {module.name for module in pkgutil.iter_modules(encodings.__path__)}
    return sorted(modules | set(encodings.aliases.aliases) | set(encodings.aliases.aliases.values()))


BAD = {
    "every byte": bytes(range(1, 256)),
    "an odd number of bytes": b"abc",
    "half a sign": b"a\xc3",
    "hosts": b"xn--a\xff.xn--",
    "escapes": b"\x1b$B\x1b(Z\x1b\x0e~{+AAA-\\u12 \\N{foo} \\x",
    "zeros": b"a\0b\0\n\0",
    "a mark": b"\xff\xfea\0b\0\0",
    "compressed": b"x\x9cKL",
    "empty": b"",
}


@pytest.mark.parametrize("encoding", all_encodings())
def test_any_encoding_reads_what_it_wrote_or_refuses(file: Path, encoding: str) -> None:
    """An InputError or the right text, never anything else."""
    plain = TEXT.replace("ï", "i")
    try:
        content = b"" if encoding in NO_ENCODINGS else plain.encode(encoding)
    except LookupError:
        content = b""
    file.write_bytes(content)
    if not content:
        assert "unknown encoding" in fault(file, encoding).what
    for size in (1, 5, 1000) if content else ():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(source, "_BLOCK", size)
            assert list(source.lines(file, encoding=encoding)) == plain.splitlines(keepends=True)
    for content in BAD.values():
        file.write_bytes(content)
        try:
            found = "".join(source.lines(file, encoding=encoding))
        except InputError:
            continue
        right = content.decode(encoding).removeprefix("\ufeff")
        assert found == right.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize(
    ("encoding", "before", "bad"),
    [("cp1253", "λόγος\nκα", b"\xaa"), ("shift_jis", "猫\n犬", b"\xa0"), ("iso2022_jp", "猫\n犬", b"\xff")],
)
def test_what_stands_before_a_bad_byte_is_in_the_right_encoding(
    file: Path, encoding: str, before: str, bad: bytes
) -> None:
    file.write_bytes(before.encode(encoding) + bad + b"\n")
    lines = source.lines(file, encoding=encoding)
    assert next(lines) == before.splitlines(keepends=True)[0]
    with pytest.raises(InputError, match="is not valid") as caught:
        next(lines)
    assert caught.value.where == f"{file}:2:{len(before.splitlines()[1]) + 1}"


def test_a_pipe_is_read_as_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(TEXT.encode(),))
    writer.start()
    assert list(source.lines(pipe)) == TEXT.splitlines(keepends=True)
    writer.join()


def test_devices() -> None:
    assert list(source.lines("/dev/null")) == []
    assert "binary" in fault("/dev/zero").what


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.TextIOWrapper(io.BytesIO())
    closed.close()
    for stdin in (None, closed, io.StringIO("no bytes")):
        monkeypatch.setattr("sys.stdin", stdin)
        error = fault("-")
        assert (error.what, error.where) == ("standard input is closed", "<stdin>")


@pytest.mark.parametrize("name", ["a\0b", "a\ud800"])
def test_names_that_no_file_can_have(name: str) -> None:
    assert fault(name).what in {"this cannot be a file's name", "no such file"}
    assert fault(name).where.isprintable()


def test_lines_without_an_end(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "a" * 300_000 + "\n"
    file.write_text("b\n" + long)
    assert list(source.lines(file)) == ["b\n", long]
    monkeypatch.setattr(source, "LONGEST_LINE", 200_000)
    error = fault(file)
    assert "a line of more than 200,000 characters" in error.what
    assert error.where == f"{file}:2"


@given(st.text(st.sampled_from("ab\r\né猫\u2028\x85\x0c "), max_size=30), st.integers(1, 8))
def test_blocks_make_no_difference(tmp_path_factory: pytest.TempPathFactory, text: str, size: int) -> None:
    path = tmp_path_factory.mktemp("blocks") / "a.txt"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_BLOCK", size)
        got = list(source.lines(path))
    assert got == list(io.StringIO(text, newline=None))
