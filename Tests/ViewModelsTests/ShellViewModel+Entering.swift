import ChatsFixtures

@testable import ViewModels

extension ShellViewModel {
  /// Types `line` into the empty input and submits it, and waits for what it starts.
  func enter(_ line: String) async {
    input.clear()
    type(line)
    submit()
    await lifetime.settle()
  }
}
