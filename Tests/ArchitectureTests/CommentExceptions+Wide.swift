extension CommentExceptions {
  /// Lines over 100 columns that have a comment, by file.
  static let wide: [String: Int] = [:]
}
