"""Builds the package for pip (PEP 517 and PEP 660) with the standard library alone, and leaves nothing in
the source tree."""
import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = re.search(r'^VERSION = "(.*?)"', (HERE / "reusedist/_native.py").read_text(), re.M).group(1)
NAME = f"reusedist-{VERSION}"
WHEEL_NAME = f"{NAME}-py3-none-any.whl"

METADATA = f"""\
Metadata-Version: 2.1
Name: reusedist
Version: {VERSION}
Summary: Reuse distances and miss-ratio curves of trace files and numpy arrays
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
Provides-Extra: plot
Requires-Dist: matplotlib>=3.3; extra == "plot"
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text()}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: reusedist
Root-Is-Purelib: true
Tag: py3-none-any
"""


def _package_files():
    return {f"reusedist/{path.name}": path.read_bytes()
            for path in sorted((HERE / "reusedist").iterdir()) if path.suffix in (".py", ".typed")}


def _write_wheel(folder, files):
    """Writes a wheel of these files; the same files give the same bytes."""
    info = f"{NAME}.dist-info"
    files = {**files, f"{info}/METADATA": METADATA.encode(), f"{info}/WHEEL": WHEEL.encode()}
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(Path(folder, WHEEL_NAME), "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return WHEEL_NAME


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, _package_files())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {"reusedist.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    files = {**_package_files(), "PKG-INFO": METADATA.encode()}
    for name in ("README.md", "build_backend.py", "pyproject.toml"):
        files[name] = (HERE / name).read_bytes()
    with tarfile.open(Path(sdist_directory, f"{NAME}.tar.gz"), "w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"{NAME}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return f"{NAME}.tar.gz"
