#include "CSQLite.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The tokenizer of the search index (SQLite, FTS5 §7): unicode61, whose tokens are cut at every
   character of a script that writes no spaces between words. Such a character is a token, so that
   a run of them is found anywhere, however short it is. The unicode61 tokenizer does not get these
   characters, only what is between them. */

/* The characters that are tokens by themselves, in ascending order: letters and vowel marks of
   Thai, Lao, Burmese and Khmer, hangul, kana, ideographs, emoji and other pictures. */
static const struct { sqlite3_uint64 first, last; } single[] = {
  {0x0E01, 0x0E3A}, {0x0E40, 0x0E4E},  /* Thai, without its digits and its currency symbol. */
  {0x0E81, 0x0ECE}, {0x0EDC, 0x0EDF},  /* Lao. */
  {0x1000, 0x103F}, {0x1050, 0x108F}, {0x109A, 0x109F},  /* Burmese. */
  {0x1100, 0x11FF},                    /* Hangul jamo. */
  {0x1780, 0x17D3}, {0x17D7, 0x17D7}, {0x17DC, 0x17DD},  /* Khmer. */
  {0x2300, 0x23FF}, {0x2600, 0x27BF}, {0x2B00, 0x2BFF},  /* Pictures. */
  {0x3005, 0x3007}, {0x3021, 0x3029}, {0x3031, 0x3035}, {0x3038, 0x303C},  /* Iteration marks. */
  {0x3041, 0x3096}, {0x309D, 0x309F}, {0x30A1, 0x30FA}, {0x30FC, 0x30FF},  /* Kana. */
  {0x3105, 0x312F}, {0x3131, 0x318E}, {0x31A0, 0x31BF}, {0x31F0, 0x31FF},  /* Bopomofo, jamo. */
  {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},  /* Ideographs. */
  {0xA960, 0xA97C}, {0xA9E0, 0xA9EF}, {0xA9FA, 0xA9FE}, {0xAA60, 0xAA7F}, {0xAC00, 0xD7FB},
  {0xF900, 0xFAFF}, {0xFF66, 0xFF9F}, {0xFFA0, 0xFFDC},  /* Half-width kana and hangul. */
  {0x1AFF0, 0x1B16F}, {0x1F000, 0x1FAFF}, {0x20000, 0x3FFFD},
};

int natter_sqlite_is_token(unsigned int character) {
  size_t low = 0, high = sizeof single / sizeof *single;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (character > single[middle].last) low = middle + 1;
    else if (character < single[middle].first) high = middle;
    else return 1;
  }
  return 0;
}

/* Returns the number of bytes of the token by itself at `text`, 0 if there is none: a sequence of
   three or four bytes in UTF-8. All others, ill-formed ones too, are left to unicode61. */
static int single_length(const unsigned char *text, int count) {
  if (count < 3 || text[0] < 0xE0 || (text[1] & 0xC0) != 0x80 || (text[2] & 0xC0) != 0x80) return 0;
  if (text[0] < 0xF0) {
    return natter_sqlite_is_token((text[0] & 0x0Fu) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu)) ? 3 : 0;
  }
  if (count < 4 || text[0] > 0xF4 || (text[3] & 0xC0) != 0x80) return 0;
  return natter_sqlite_is_token((text[0] & 0x07u) << 18 | (text[1] & 0x3Fu) << 12 | (text[2] & 0x3Fu) << 6
      | (text[3] & 0x3Fu)) ? 4 : 0;
}

typedef int taking(void *, int, const char *, int, int, int);

struct tokenizer {
  fts5_tokenizer unicode;
  Fts5Tokenizer *instance;
};

/* The part of a text that unicode61 reads, which counts its bytes from 0. */
struct part {
  void *context;
  taking *take;
  int offset;
};

static int take_shifted(void *context, int flags, const char *token, int count, int start, int end) {
  struct part *part = context;
  return part->take(part->context, flags, token, count, part->offset + start, part->offset + end);
}

static void delete(Fts5Tokenizer *tokenizer) {
  struct tokenizer *own = (struct tokenizer *)tokenizer;
  if (!own) return;
  if (own->instance) own->unicode.xDelete(own->instance);
  free(own);
}

static int create(void *context, const char **arguments, int count, Fts5Tokenizer **tokenizer) {
  static const char *options[] = {"remove_diacritics", "2"};
  fts5_api *api = context;
  void *its_context = NULL;
  struct tokenizer *own = calloc(1, sizeof *own);
  (void)arguments, (void)count;
  *tokenizer = NULL;
  if (!own) return SQLITE_NOMEM;
  int result = api->xFindTokenizer(api, "unicode61", &its_context, &own->unicode);
  if (result == SQLITE_OK) result = own->unicode.xCreate(its_context, options, 2, &own->instance);
  if (result != SQLITE_OK) {
    own->instance = NULL;
    delete((Fts5Tokenizer *)own);
    return result;
  }
  *tokenizer = (Fts5Tokenizer *)own;
  return SQLITE_OK;
}

static int tokenize(
    Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int count, taking *take) {
  struct tokenizer *own = (struct tokenizer *)tokenizer;
  struct part part = {context, take, 0};
  int index = 0;
  for (;;) {
    /* One past the last byte is a cut as well. */
    int length = index < count ? single_length((const unsigned char *)text + index, count - index) : 0;
    if (index < count && length == 0) {
      index++;
      continue;
    }
    if (index > part.offset) {
      int result = own->unicode.xTokenize(
          own->instance, &part, flags, text + part.offset, index - part.offset, take_shifted);
      if (result != SQLITE_OK) return result;
    }
    if (index >= count) return SQLITE_OK;
    int result = take(context, 0, text + index, length, index, index + length);
    if (result != SQLITE_OK) return result;
    index += length;
    part.offset = index;
  }
}

/* Returns the interface of FTS5, NULL without it. */
static fts5_api *find_api(sqlite3 *database) {
  fts5_api *api = NULL;
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v3(database, "SELECT fts5(?1)", -1, 0, &statement, NULL) != SQLITE_OK) return NULL;
  if (sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", NULL) == SQLITE_OK) sqlite3_step(statement);
  sqlite3_finalize(statement);
  return api;
}

int natter_sqlite_add_tokenizer(sqlite3 *database) {
  fts5_api *api = find_api(database);
  if (!api) return SQLITE_ERROR;
  fts5_tokenizer own = {create, delete, tokenize};
  return api->xCreateTokenizer(api, "natter", api, &own, NULL);
}

struct reading {
  void *context;
  void (*take)(void *, const char *, int);
};

static int take_token(void *context, int flags, const char *token, int count, int start, int end) {
  struct reading *reading = context;
  (void)flags, (void)start, (void)end;
  reading->take(reading->context, token, count);
  return SQLITE_OK;
}

int natter_sqlite_make_tokenizer(sqlite3 *database, natter_sqlite_tokenizer **tokenizer) {
  fts5_api *api = find_api(database);
  *tokenizer = NULL;
  if (!api) return SQLITE_ERROR;
  return create(api, NULL, 0, (Fts5Tokenizer **)tokenizer);
}

int natter_sqlite_tokenize(
    natter_sqlite_tokenizer *tokenizer, const char *text, int count, void *context,
    void (*take)(void *context, const char *token, int count)) {
  struct reading reading = {context, take};
  return tokenize((Fts5Tokenizer *)tokenizer, &reading, FTS5_TOKENIZE_DOCUMENT, text, count, take_token);
}

void natter_sqlite_free_tokenizer(natter_sqlite_tokenizer *tokenizer) { delete((Fts5Tokenizer *)tokenizer); }
