extension JID {
  /// The last two labels of the domain: its owner can create any number of subdomains. Limits for
  /// each sender's domain count by it.
  package var domainOwner: Substring {
    // By bytes: a letter such as U+0D4E forms one character with the dot behind it.
    let dot = UInt8(ascii: ".")
    guard let last = domain.utf8.lastIndex(of: dot),
      let before = domain.utf8[..<last].lastIndex(of: dot)
    else { return domain[...] }
    return domain[domain.utf8.index(after: before)...]
  }
}
