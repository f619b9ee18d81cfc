"""The build of hatchling, once it is sure of Python: else pip looks for packages, and blames one of them."""

from hatchling.build import *  # noqa: F403 - what pip asks a build for

import lastro  # noqa: F401 - says which Python it needs
