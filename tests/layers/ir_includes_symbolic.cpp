// Compiles in the view of src/ir: symbolic comes before it.
#include "ir/state.h"
#include "symbolic/context.h"
