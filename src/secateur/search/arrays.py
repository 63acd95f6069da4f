"""The arrays of searching and learning, by what is in them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Steps = npt.NDArray[np.int64]  # [S] numbers of decisions
Sites = npt.NDArray[np.int32]  # [R, s]
Ptr = npt.NDArray[np.int64]  # [T+1] where the rows of each decision begin, and where the last one's end
