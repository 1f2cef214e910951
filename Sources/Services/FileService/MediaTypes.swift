/// Media types (RFC 6838) by file name extension.
enum MediaTypes {
  private static let known: [String: String] = [
    "avif": "image/avif", "bmp": "image/bmp", "gif": "image/gif", "heic": "image/heic",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "png": "image/png", "svg": "image/svg+xml",
    "tif": "image/tiff", "tiff": "image/tiff", "webp": "image/webp",
    "flac": "audio/flac", "m4a": "audio/mp4", "mp3": "audio/mpeg", "oga": "audio/ogg",
    "ogg": "audio/ogg", "opus": "audio/ogg", "wav": "audio/wav",
    "avi": "video/x-msvideo", "mkv": "video/x-matroska", "mov": "video/quicktime",
    "mp4": "video/mp4", "ogv": "video/ogg", "webm": "video/webm",
    "c": "text/x-c", "css": "text/css", "csv": "text/csv", "diff": "text/x-diff",
    "htm": "text/html", "html": "text/html", "ics": "text/calendar", "log": "text/plain",
    "md": "text/markdown", "patch": "text/x-diff", "py": "text/x-python",
    "sh": "text/x-shellscript", "swift": "text/x-swift", "txt": "text/plain",
    "vcf": "text/vcard", "xml": "text/xml",
    "7z": "application/x-7z-compressed", "bz2": "application/x-bzip2",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip", "gz": "application/gzip", "json": "application/json",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odt": "application/vnd.oasis.opendocument.text", "pdf": "application/pdf",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "ps": "application/postscript", "rtf": "application/rtf", "tar": "application/x-tar",
    "toml": "application/toml", "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xz": "application/x-xz", "yaml": "application/yaml", "yml": "application/yaml",
    "zip": "application/zip", "zst": "application/zstd",
  ]

  /// Returns the media type; `nil` if the extension is unknown or missing.
  static func type(ofName name: String) -> String? {
    name.lastIndex(of: ".").flatMap { known[name[name.index(after: $0)...].lowercased()] }
  }
}
