import Glibc

/// The command line of a script's program.
nonisolated enum ScriptArguments {
  /// Returns the arguments with the paths of those that name a file in the script's folder: the
  /// working folder of a script is its storage, and `run = ["node", "greeter.mjs"]` means its own
  /// file.
  static func resolved(_ words: some Sequence<String>, in folder: String) -> [String] {
    words.map { word in
      // By bytes, as the kernel does: a slash with a combining mark is another `Character`.
      let parts = word.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      let names = parts.first == "." ? parts.dropFirst() : parts[...]
      guard !names.isEmpty, names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
        return word
      }
      let path = folder + "/" + names.joined(separator: "/")
      var facts = stat()
      guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return word }
      return path
    }
  }
}
