/* Each of these functions is a real one here, not the checking macro of the header. */
#define CURL_DISABLE_TYPECHECK 1
#include "CCurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

/* The functions that are used: result, name, parameters. */
#define FUNCTIONS(F) \
  F(CURLcode, curl_global_init, (long)) \
  F(CURL *, curl_easy_init, (void)) \
  F(void, curl_easy_cleanup, (CURL *)) \
  F(CURLcode, curl_easy_setopt, (CURL *, CURLoption, ...)) \
  F(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...)) \
  F(CURLcode, curl_easy_recv, (CURL *, void *, size_t, size_t *)) \
  F(CURLcode, curl_easy_send, (CURL *, const void *, size_t, size_t *)) \
  F(const char *, curl_easy_strerror, (CURLcode)) \
  F(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *)) \
  F(void, curl_slist_free_all, (struct curl_slist *)) \
  F(CURLM *, curl_multi_init, (void)) \
  F(CURLMcode, curl_multi_cleanup, (CURLM *)) \
  F(CURLMcode, curl_multi_add_handle, (CURLM *, CURL *)) \
  F(CURLMcode, curl_multi_remove_handle, (CURLM *, CURL *)) \
  F(CURLMcode, curl_multi_perform, (CURLM *, int *)) \
  F(CURLMcode, curl_multi_poll, (CURLM *, struct curl_waitfd[], unsigned int, int, int *)) \
  F(CURLMcode, curl_multi_wakeup, (CURLM *)) \
  F(CURLMcode, curl_multi_setopt, (CURLM *, CURLMoption, ...)) \
  F(CURLMcode, curl_multi_socket_action, (CURLM *, curl_socket_t, int, int *)) \
  F(CURLcode, curl_easy_pause, (CURL *, int)) \
  F(CURLMsg *, curl_multi_info_read, (CURLM *, int *)) \
  F(time_t, curl_getdate, (const char *, const time_t *))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct { FUNCTIONS(MEMBER) } library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *handle;
static char problem[256];

static void load(void) {
  const char *name = "libcurl.so.4";
  /* Lazy: what is never called need not be looked for. Local: nothing of it may take the place of the program's own. */
  void *loaded = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!loaded) {
    const char *text = dlerror();
    snprintf(problem, sizeof problem, "%s", text ? text : name);
    return;
  }
#define FIND(result, function, parameters) \
  *(void **)&library.function = dlsym(loaded, #function); \
  if (!library.function) { \
    snprintf(problem, sizeof problem, "%s: %s is missing", name, #function); \
    return; \
  }
  FUNCTIONS(FIND)
  handle = loaded;
}

void *natter_curl_library(void) {
  pthread_once(&once, load);
  return handle;
}

const char *natter_curl_problem(void) { return natter_curl_library() ? NULL : problem; }

/* Hidden: a library that is loaded later must not find these in place of libcurl's. */
#define FORWARDER __attribute__((visibility("hidden")))

/* These are called without a handle of the library's, so only they have to see that it is there. */
FORWARDER CURLcode curl_global_init(long flags) {
  return natter_curl_library() ? library.curl_global_init(flags) : CURLE_FAILED_INIT;
}
FORWARDER CURL *curl_easy_init(void) {
  return natter_curl_library() ? library.curl_easy_init() : NULL;
}
FORWARDER CURLM *curl_multi_init(void) {
  return natter_curl_library() ? library.curl_multi_init() : NULL;
}
FORWARDER struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  return natter_curl_library() ? library.curl_slist_append(list, text) : NULL;
}
FORWARDER const char *curl_easy_strerror(CURLcode code) {
  return natter_curl_library() ? library.curl_easy_strerror(code) : problem;
}

FORWARDER time_t curl_getdate(const char *text, const time_t *unused) {
  return natter_curl_library() ? library.curl_getdate(text, unused) : -1;
}

FORWARDER void curl_easy_cleanup(CURL *easy) { library.curl_easy_cleanup(easy); }
FORWARDER CURLcode curl_easy_recv(CURL *easy, void *buffer, size_t capacity, size_t *count) {
  return library.curl_easy_recv(easy, buffer, capacity, count);
}
FORWARDER CURLcode curl_easy_send(CURL *easy, const void *bytes, size_t length, size_t *count) {
  return library.curl_easy_send(easy, bytes, length, count);
}
FORWARDER void curl_slist_free_all(struct curl_slist *list) { library.curl_slist_free_all(list); }
FORWARDER CURLMcode curl_multi_cleanup(CURLM *multi) { return library.curl_multi_cleanup(multi); }
FORWARDER CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy) {
  return library.curl_multi_add_handle(multi, easy);
}
FORWARDER CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy) {
  return library.curl_multi_remove_handle(multi, easy);
}
FORWARDER CURLMcode curl_multi_perform(CURLM *multi, int *running) {
  return library.curl_multi_perform(multi, running);
}
FORWARDER CURLMcode curl_multi_poll(
    CURLM *multi, struct curl_waitfd others[], unsigned int count, int milliseconds, int *ready) {
  return library.curl_multi_poll(multi, others, count, milliseconds, ready);
}
FORWARDER CURLMcode curl_multi_wakeup(CURLM *multi) { return library.curl_multi_wakeup(multi); }
FORWARDER CURLMsg *curl_multi_info_read(CURLM *multi, int *left) {
  return library.curl_multi_info_read(multi, left);
}
FORWARDER CURLMcode curl_multi_socket_action(
    CURLM *multi, curl_socket_t socket, int events, int *running) {
  return library.curl_multi_socket_action(multi, socket, events, running);
}
FORWARDER CURLcode curl_easy_pause(CURL *easy, int directions) {
  return library.curl_easy_pause(easy, directions);
}

CURLcode natter_setopt_string(CURL *easy, CURLoption option, const char *value) {
  return library.curl_easy_setopt(easy, option, value);
}
CURLcode natter_setopt_long(CURL *easy, CURLoption option, long value) {
  return library.curl_easy_setopt(easy, option, value);
}
CURLcode natter_setopt_pointer(CURL *easy, CURLoption option, void *value) {
  return library.curl_easy_setopt(easy, option, value);
}
CURLcode natter_setopt_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return library.curl_easy_setopt(easy, option, &blob);
}
CURLcode natter_getinfo_long(CURL *easy, CURLINFO info, long *value) {
  return library.curl_easy_getinfo(easy, info, value);
}
CURLcode natter_getinfo_string(CURL *easy, CURLINFO info, const char **value) {
  return library.curl_easy_getinfo(easy, info, value);
}
CURLcode natter_getinfo_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
  return library.curl_easy_getinfo(easy, info, value);
}

/* What OpenSSL calls SSL *; NULL where there is none. */
static void *openssl_session(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (library.curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return NULL;
  return session && session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

const char *natter_tls_version(CURL *easy) {
  void *session = openssl_session(easy);
  const char *(*version)(const void *) = dlsym(natter_curl_library(), "SSL_get_version");
  return session && version ? version(session) : NULL;
}

int natter_tls_exporter(CURL *easy, unsigned char *bytes) {
  static const char label[] = "EXPORTER-Channel-Binding";
  enum { version_tls_1_3 = 0x0304 };
  void *session = openssl_session(easy);
  if (!session) return 0;
  void *curl = natter_curl_library();
  int (*version)(const void *) = dlsym(curl, "SSL_version");
  int (*export)(void *, unsigned char *, size_t, const char *, size_t, const unsigned char *, size_t,
                int) = dlsym(curl, "SSL_export_keying_material");
  if (!version || !export || version(session) != version_tls_1_3) return 0;
  return export(session, bytes, 32, label, sizeof label - 1, NULL, 0, 0) == 1;
}
CURLcode natter_setopt_bytes(
    CURL *easy, CURLoption function, natter_bytes_function handler, CURLoption data,
    void *context) {
  CURLcode code = library.curl_easy_setopt(easy, function, handler);
  return code == CURLE_OK ? library.curl_easy_setopt(easy, data, context) : code;
}
CURLcode natter_setopt_seek(CURL *easy, natter_seek_function handler, void *context) {
  CURLcode code = library.curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, handler);
  return code == CURLE_OK ? library.curl_easy_setopt(easy, CURLOPT_SEEKDATA, context) : code;
}
CURLcode natter_setopt_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return library.curl_easy_setopt(easy, option, value);
}

static int keep_from_children(void *context, curl_socket_t socket, curlsocktype purpose) {
  (void)context;
  (void)purpose;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  return CURL_SOCKOPT_OK;
}
CURLcode natter_setopt_private_sockets(CURL *easy) {
  return library.curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, keep_from_children);
}

CURLMcode natter_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
  return library.curl_multi_setopt(multi, option, value);
}
CURLMcode natter_multi_setopt_socket(CURLM *multi, natter_socket_function handler, void *context) {
  CURLMcode code = library.curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, handler);
  return code == CURLM_OK ? library.curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context) : code;
}
CURLMcode natter_multi_setopt_timer(CURLM *multi, natter_timer_function handler, void *context) {
  CURLMcode code = library.curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, handler);
  return code == CURLM_OK ? library.curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context) : code;
}

int natter_watch_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int natter_watch_set(int set, int descriptor, int events) {
  if (!events) return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, NULL);
  struct epoll_event event = {0};
  if (events & CURL_CSELECT_IN) event.events |= EPOLLIN;
  if (events & CURL_CSELECT_OUT) event.events |= EPOLLOUT;
  event.data.fd = descriptor;
  if (epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
  return errno == ENOENT ? epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) : -1;
}

int natter_watch_take(int set, struct natter_ready *ready, int capacity, int milliseconds) {
  struct epoll_event events[32];
  int count = epoll_wait(set, events, capacity < 32 ? capacity : 32, milliseconds);
  for (int index = 0; index < count; index++) {
    ready[index].descriptor = events[index].data.fd;
    ready[index].events = 0;
    if (events[index].events & (EPOLLIN | EPOLLHUP)) ready[index].events |= CURL_CSELECT_IN;
    if (events[index].events & EPOLLOUT) ready[index].events |= CURL_CSELECT_OUT;
    if (events[index].events & EPOLLERR) ready[index].events |= CURL_CSELECT_ERR;
  }
  return count;
}
