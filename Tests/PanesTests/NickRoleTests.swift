import Terminal
import Testing

@testable import Panes

@Suite struct NickRoleTests {
  @Test func `the roles of names are those of the wheel, in the order of the files`() {
    #expect((0..<8).map { StyleRole.named["nick.\($0)"] } == StyleRole.wheel)
  }
}
