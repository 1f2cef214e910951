#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "filter.h"

/* Newer than the headers of the oldest systems that Natter is built on. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
#define NET_BIND_AND_CONNECT 3ULL
#define SCOPE_ABSTRACT_SOCKETS 1ULL
#define SCOPE_SIGNALS 2ULL

/* The kernel takes it with any of its members' ends as its size. */
struct ruleset {
  uint64_t fs, net, scoped;
};

static const char *const system_paths[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives",
    "/etc/ld.so.cache", "/etc/localtime", "/etc/timezone",
    /* TLS, without private keys of the system. */
    "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf",
    "/etc/ca-certificates", "/etc/crypto-policies",
    /* Names of hosts and services. */
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
    "/etc/services", "/etc/protocols", NULL};

const char *natter_sandbox_system(int index) { return system_paths[index]; }

/* Only with Landlock: other means make their own. */
static const char *const devices[] = {"/dev/urandom", "/dev/random", "/dev/zero", NULL};

int natter_sandbox_landlock(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : (int)version;
}

int natter_sandbox_seccomp(void) {
  struct natter_filter filter;
  natter_filter_make(&filter, 1, 1, 0);
  unsigned action = SECCOMP_RET_ERRNO;
  return filter.length > 0 &&
         syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static int limit(int resource, rlim_t value) {
  struct rlimit now;
  if (getrlimit(resource, &now)) return -1;
  if (now.rlim_max < value) value = now.rlim_max;
  now = (struct rlimit){value, value};
  return setrlimit(resource, &now);
}

static int drop_capabilities(void) {
  /* Fails for those that the kernel does not have, and without the capability to drop them: then
     the program cannot gain any either, because of no_new_privs. */
  for (int i = 0; i < 64; i++) prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(SYS_capset, &header, none);
}

/* Gives up the controlling terminal; the streams are pipes, and remain. */
static void leave_terminal(void) {
  int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return;
  ioctl(terminal, TIOCNOTTY);
  close(terminal);
}

static int close_others(void) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3, ~0U, 0) == 0) return 0;
  if (errno != ENOSYS && errno != EPERM) return -1;
#endif
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files)) return -1;
  int last = files.rlim_max > 1 << 20 ? 1 << 20 : (int)files.rlim_max;
  for (int i = 3; i < last; i++) close(i);
  return 0;
}

#define TRY(call, name)              \
  if ((call) < 0) {                  \
    *step = name;                    \
    return errno ? errno : EINVAL;   \
  }

int natter_sandbox_prepare(int parent, const char *storage, const char **step) {
  TRY(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "PR_SET_PDEATHSIG");
  /* It may have ended before. */
  errno = ESRCH;
  TRY(parent && getppid() != parent ? -1 : 0, "getppid");
  TRY(close_others(), "close_range");
  leave_terminal();
  umask(077);
  TRY(limit(RLIMIT_CORE, 0), "RLIMIT_CORE");
  TRY(limit(RLIMIT_FSIZE, 64 << 20), "RLIMIT_FSIZE");
  TRY(limit(RLIMIT_NOFILE, 128), "RLIMIT_NOFILE");
  TRY(chdir(storage), "chdir");
  return 0;
}

static int allow(int rules, const char *path, uint64_t access) {
  struct landlock_path_beneath_attr rule = {.allowed_access = access};
  struct stat facts;
  rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return -1;
  int result = fstat(rule.parent_fd, &facts);
  if (result == 0) {
    if (!S_ISDIR(facts.st_mode))
      rule.allowed_access &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                             LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE;
    result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  int reason = errno;
  close(rule.parent_fd);
  errno = reason;
  return result;
}

static int apply_landlock(int version, const struct natter_sandbox *wanted, const char **step) {
  const uint64_t read = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                        LANDLOCK_ACCESS_FS_READ_DIR;
  struct ruleset handled = {.fs = FS_REFER - 1};
  if (version >= 2) handled.fs |= FS_REFER;
  if (version >= 3) handled.fs |= FS_TRUNCATE;
  if (version >= 4 && !wanted->has_network) handled.net = NET_BIND_AND_CONNECT;
  if (version >= 5) handled.fs |= FS_IOCTL_DEV;
  if (version >= 6) handled.scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
  const uint64_t write = handled.fs & ~(LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                        LANDLOCK_ACCESS_FS_MAKE_BLOCK | FS_IOCTL_DEV);
  size_t size = version >= 6   ? sizeof handled
                : version >= 4 ? offsetof(struct ruleset, scoped)
                               : offsetof(struct ruleset, net);
  int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  TRY(rules, "landlock_create_ruleset");
  for (int i = 0; system_paths[i]; i++)
    TRY(allow(rules, system_paths[i], read) && errno != ENOENT ? -1 : 0, system_paths[i]);
  for (int i = 0; devices[i]; i++)
    TRY(allow(rules, devices[i], LANDLOCK_ACCESS_FS_READ_FILE), devices[i]);
  TRY(allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE),
      "/dev/null");
  TRY(allow(rules, "/proc/self", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR),
      "/proc/self");
  for (const char *const *path = wanted->readable; *path; path++)
    TRY(allow(rules, *path, read), *path);
  for (const char *const *path = wanted->writable; *path; path++)
    TRY(allow(rules, *path, write), *path);
  TRY(allow(rules, wanted->storage, write), wanted->storage);
  TRY(syscall(SYS_landlock_restrict_self, rules, 0), "landlock_restrict_self");
  close(rules);
  return 0;
}

int natter_sandbox_confine(const struct natter_sandbox *wanted, const char **step) {
  TRY(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
  TRY(drop_capabilities(), "capset");
  int version = natter_sandbox_landlock();
  errno = ENOSYS;
  TRY(wanted->is_closed && version == 0 ? -1 : 0, "landlock");
  if (version > 0) {
    int reason = apply_landlock(version, wanted, step);
    if (reason) return reason;
  }
  errno = ENOSYS;
  int has_filter = natter_sandbox_seccomp();
  TRY(wanted->is_closed && !has_filter ? -1 : 0, "seccomp");
  if (!has_filter) return 0;
  struct natter_filter filter;
  natter_filter_make(&filter, getpid(), version, wanted->has_network);
  errno = E2BIG;
  TRY(filter.length == 0 ? -1 : 0, "filter");
  struct sock_fprog program = {filter.length, filter.code};
  TRY(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), "PR_SET_SECCOMP");
  return 0;
}

int natter_sandbox_filter_file(int has_network) {
  struct natter_filter filter;
  natter_filter_make(&filter, 0, 0, has_network);
  int file = memfd_create("filter", 0);
  if (file < 0) return -1;
  size_t size = filter.length * sizeof *filter.code;
  if (size == 0 || write(file, filter.code, size) != (ssize_t)size || lseek(file, 0, SEEK_SET)) {
    close(file);
    errno = EIO;
    return -1;
  }
  return file;
}

int natter_sandbox_has_access_list(const char *path) {
  if (getxattr(path, "system.posix_acl_access", NULL, 0) >= 0) return 1;
  // The file has none, or its file system has no such lists.
  return errno != ENODATA && errno != ENOTSUP;
}
