/* curl.c defines these names as functions, so the header's type-checking macros must not replace
   them. */
#define CURL_DISABLE_TYPECHECK 1
#include "CCurl.h"

#include "library.h"
#include <fcntl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

/* The functions that only forward to the library's. None of them is called before there is a handle
   of the library. */
#define WITH_HANDLE(F) \
  F(void, curl_easy_cleanup, (CURL *e), (e)) \
  F(CURLcode, curl_easy_recv, (CURL *e, void *bytes, size_t capacity, size_t *count), (e, bytes, capacity, count)) \
  F(CURLcode, curl_easy_send, (CURL *e, const void *bytes, size_t length, size_t *count), (e, bytes, length, count)) \
  F(CURLcode, curl_easy_pause, (CURL *e, int directions), (e, directions)) \
  F(void, curl_slist_free_all, (struct curl_slist *l), (l)) \
  F(CURLMcode, curl_multi_cleanup, (CURLM *m), (m)) \
  F(CURLMcode, curl_multi_add_handle, (CURLM *m, CURL *e), (m, e)) \
  F(CURLMcode, curl_multi_remove_handle, (CURLM *m, CURL *e), (m, e)) \
  F(CURLMcode, curl_multi_perform, (CURLM *m, int *running), (m, running)) \
  F(CURLMcode, curl_multi_poll, \
    (CURLM *m, struct curl_waitfd others[], unsigned int count, int milliseconds, int *ready), \
    (m, others, count, milliseconds, ready)) \
  F(CURLMcode, curl_multi_wakeup, (CURLM *m), (m)) \
  F(CURLMcode, curl_multi_socket_action, (CURLM *m, curl_socket_t s, int events, int *running), \
    (m, s, events, running)) \
  F(CURLMsg *, curl_multi_info_read, (CURLM *m, int *left), (m, left))

/* The functions that check whether the library is loaded, and variadic ones, which need a wrapper
   for Swift. */
#define OTHERS(F) \
  F(CURLcode, curl_global_init, (long), ) \
  F(CURL *, curl_easy_init, (void), ) \
  F(CURLcode, curl_easy_setopt, (CURL *, CURLoption, ...), ) \
  F(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...), ) \
  F(const char *, curl_easy_strerror, (CURLcode), ) \
  F(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *), ) \
  F(CURLM *, curl_multi_init, (void), ) \
  F(CURLMcode, curl_multi_setopt, (CURLM *, CURLMoption, ...), ) \
  F(time_t, curl_getdate, (const char *, const time_t *), )

NATTER_LIBRARY("libcurl.so.4", WITH_HANDLE, OTHERS)

void *natter_curl_library(void) { return library_handle(); }

const char *natter_curl_problem(void) { return library_handle() ? NULL : library_problem; }

NATTER_FORWARDER CURLcode curl_global_init(long flags) {
  return library_handle() ? library.curl_global_init(flags) : CURLE_FAILED_INIT;
}
NATTER_FORWARDER CURL *curl_easy_init(void) {
  return library_handle() ? library.curl_easy_init() : NULL;
}
NATTER_FORWARDER CURLM *curl_multi_init(void) {
  return library_handle() ? library.curl_multi_init() : NULL;
}
NATTER_FORWARDER struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  return library_handle() ? library.curl_slist_append(list, text) : NULL;
}
NATTER_FORWARDER const char *curl_easy_strerror(CURLcode code) {
  return library_handle() ? library.curl_easy_strerror(code) : library_problem;
}
NATTER_FORWARDER time_t curl_getdate(const char *text, const time_t *unused) {
  return library_handle() ? library.curl_getdate(text, unused) : -1;
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

/* Returns OpenSSL's SSL *, or NULL if the connection has none. */
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

const char *natter_tls_cipher(CURL *easy) {
  void *session = openssl_session(easy);
  const void *(*current)(const void *) = dlsym(natter_curl_library(), "SSL_get_current_cipher");
  const char *(*name)(const void *) = dlsym(natter_curl_library(), "SSL_CIPHER_get_name");
  const void *cipher = session && current ? current(session) : NULL;
  return cipher && name ? name(cipher) : NULL;
}

/* The channel bindings (RFC 5929, RFC 9266). The OpenSSL functions are looked up in the copy that
   libcurl uses: the program is built without OpenSSL's headers, so the types are opaque and the
   constants are repeated here. */

enum { version_tls_1_3 = 0x0304 };

static int tls_version_number(void *session) {
  int (*version)(const void *) = dlsym(natter_curl_library(), "SSL_version");
  return version ? version(session) : 0;
}

int natter_tls_is_1_3(CURL *easy) {
  void *session = openssl_session(easy);
  return session && tls_version_number(session) >= version_tls_1_3;
}

/* Returns whether the keys are bound to the whole handshake; otherwise RFC 9266 allows no
   tls-exporter in TLS 1.2. */
static int has_extended_master_secret(void *session) {
  enum { get_extms_support = 122 };
  long (*control)(void *, int, long, void *) = dlsym(natter_curl_library(), "SSL_ctrl");
  return control && control(session, get_extms_support, 0, NULL) == 1;
}

size_t natter_tls_exporter(CURL *easy, unsigned char *bytes, size_t capacity) {
  static const char label[] = "EXPORTER-Channel-Binding";
  enum { length = 32 };
  void *session = openssl_session(easy);
  if (!session || capacity < length) return 0;
  if (tls_version_number(session) < version_tls_1_3 && !has_extended_master_secret(session)) return 0;
  int (*export)(void *, unsigned char *, size_t, const char *, size_t, const unsigned char *, size_t,
                int) = dlsym(natter_curl_library(), "SSL_export_keying_material");
  if (!export) return 0;
  /* An empty context: in TLS 1.2 it differs from no context (RFC 5705 section 4), and RFC 9266
     requires the empty one. */
  static const unsigned char empty[1];
  return export(session, bytes, length, label, sizeof label - 1, empty, 0, 1) == 1 ? length : 0;
}

size_t natter_tls_unique(CURL *easy, unsigned char *bytes, size_t capacity) {
  void *session = openssl_session(easy);
  if (!session) return 0;
  void *curl = natter_curl_library();
  int (*reused)(const void *) = dlsym(curl, "SSL_session_reused");
  /* The client sends the first Finished message of a full handshake, the server that of a resumed
     one. */
  const char *sender = reused && reused(session) ? "SSL_get_peer_finished" : "SSL_get_finished";
  size_t (*finished)(const void *, void *, size_t) = dlsym(curl, sender);
  if (!reused || !finished) return 0;
  size_t length = finished(session, bytes, capacity);
  return length <= capacity ? length : 0;
}

size_t natter_tls_server_end_point(CURL *easy, unsigned char *bytes, size_t capacity) {
  enum { undefined = 0, md5 = 4, sha1 = 64, sha256 = 672, longest_digest = 64 };
  void *session = openssl_session(easy);
  if (!session || capacity < longest_digest) return 0;
  void *curl = natter_curl_library();
  void *(*certificate_of)(const void *) = dlsym(curl, "SSL_get1_peer_certificate");
  /* The function's name before OpenSSL 3. */
  if (!certificate_of) certificate_of = dlsym(curl, "SSL_get_peer_certificate");
  void (*release)(void *) = dlsym(curl, "X509_free");
  int (*signature)(void *, int *, int *, int *, unsigned *) = dlsym(curl, "X509_get_signature_info");
  int (*digest)(const void *, const void *, unsigned char *, unsigned *) = dlsym(curl, "X509_digest");
  const char *(*name)(int) = dlsym(curl, "OBJ_nid2sn");
  const void *(*function)(const char *) = dlsym(curl, "EVP_get_digestbyname");
  if (!certificate_of || !release || !signature || !digest || !name || !function) return 0;
  void *certificate = certificate_of(session);
  if (!certificate) return 0;
  int hash = undefined;
  unsigned length = 0;
  /* The hash of the certificate's signature algorithm, but SHA-256 instead of MD5 and SHA-1. A
     signature without a separate hash (Ed25519) leaves the binding undefined. */
  if (signature(certificate, &hash, NULL, NULL, NULL) == 1 && hash != undefined) {
    if (hash == md5 || hash == sha1) hash = sha256;
    const void *algorithm = function(name(hash));
    if (!algorithm || digest(certificate, algorithm, bytes, &length) != 1) length = 0;
  }
  release(certificate);
  return length;
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

CURLcode natter_setopt_open(CURL *easy, natter_open_function handler, void *context) {
  CURLcode code = library.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, handler);
  return code == CURLE_OK ? library.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context) : code;
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
