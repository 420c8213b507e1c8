// Must not compile in the view of src/ir: passes come after it. (tests/CMakeLists.txt)
#include "ir/state.h"
#include "passes/pass.h"
