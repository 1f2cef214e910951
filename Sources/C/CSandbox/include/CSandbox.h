#ifndef NATTER_CSANDBOX_H
#define NATTER_CSANDBOX_H

#include <stddef.h>

/* Confines programs of scripts by Landlock and seccomp (interface.md, "Confinement"). */

/* Returns the version of Landlock's interface in the running kernel; 0: it has none. */
int natter_sandbox_landlock(void);

/* Returns 1 if the running kernel filters system calls, and the filter knows its architecture. */
int natter_sandbox_seccomp(void);

/* What a program is allowed. Lists of absolute paths end with NULL. */
struct natter_sandbox {
  /* Its working folder, which it can change. */
  const char *storage;
  /* Files and folders that it can read and execute, and those that it can change, too; each must
     exist. */
  const char *const *readable;
  const char *const *writable;
  /* Not 0: it can open TCP and UDP sockets. */
  int has_network;
  /* Not 0: a kernel without Landlock or filters is an error; 0: each is applied where the kernel
     has it. */
  int is_closed;
};

/* Prepares this process for the program of a script: it gets a signal when its parent ends, loses
   its terminal, its capabilities and all descriptors but the three streams, and gets limits.
   `parent` is the process that has started it; 0: not known.
   Returns 0, or errno; then `step` names what has failed. */
int natter_sandbox_prepare(int parent, const char *storage, const char **step);

/* Confines this thread, and what it executes. Nothing else may be done afterwards but to execute
   the program. Returns 0, or errno; then `step` names what has failed. */
int natter_sandbox_confine(const struct natter_sandbox *rules, const char **step);

/* Writes the filter for a program that other means keep away from files and processes into a file
   in memory, from its beginning. Returns its descriptor, which a program that is executed
   inherits; -1: an error, in errno. */
int natter_sandbox_filter_file(int has_network);

/* Returns the files and folders of the system that every program can read, by an index from 0 on;
   NULL after the last one. Some may be missing. */
const char *natter_sandbox_system(int index);

/* Returns 1 if a file or folder has an access control list (acl(5)), or may have one; 0: its owner
   and its group are all that count. */
int natter_sandbox_has_access_list(const char *path);

#endif
