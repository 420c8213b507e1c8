// Control flow of SDFGs to jumps.
#pragma once

#include "interp/frame.h"

namespace sdfgopt::interp {

/// All of an SDFG: its regions, states, and the release of its memory at the end.
support::result<void> compile_sdfg(Frame &frame);

} // namespace sdfgopt::interp
