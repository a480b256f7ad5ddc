"""Files that are either complete or not there: written beside their place, then renamed."""
import contextlib
import os
import tempfile


@contextlib.contextmanager
def replacing(path):
    """Yields a temporary path in the same directory; on success it becomes `path`."""
    directory, name = os.path.split(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=directory)
    os.close(handle)
    os.chmod(temporary, 0o644)
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_atomically(path, text):
    with replacing(path) as temporary:
        with open(temporary, "w", encoding="utf-8") as out:
            out.write(text)
