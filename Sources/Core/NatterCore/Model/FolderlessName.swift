extension String {
  /// The part of a path behind its folders; the whole path if it has none, or names the root only.
  package var folderless: String {
    // By bytes: a name may begin with a mark, which forms one character with the slash.
    utf8.split(separator: 0x2F).last.map { String(Substring($0)) } ?? self
  }
}
