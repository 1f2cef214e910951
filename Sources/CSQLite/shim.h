#ifndef NATTER_CSQLITE_SHIM_H
#define NATTER_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
