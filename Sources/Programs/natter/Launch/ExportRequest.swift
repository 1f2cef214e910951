import ExportService

/// `natter export`, with its options (natter(1), "Shell commands").
struct ExportRequest: Equatable {
  /// The addresses of the conversations; empty: all of them.
  var addresses: [String] = []
  /// `nil`: lines to read on a terminal, objects elsewhere.
  var format: ExportFormat?
  var since: GivenTime?
  var until: GivenTime?
  /// The path of the new file; `nil`: standard output.
  var output: String?
  /// `--force`: replaces an existing file.
  var mayReplace = false
  /// `--files`: an archive contains the downloaded files.
  var includesFiles = false

  init(addresses: [String] = [], output: String? = nil) {
    self.addresses = addresses
    self.output = output
  }
}
