import TestSupport
import Testing

@Suite struct LineNatterTests {
  @Test func `lines about a conversation say nothing of the connection; a problem ends it`() {
    var state = LineNatter.State()
    for line in ["Natter, line mode. Signed in as a@b.", "Connecting to b …", "Online."] {
      state.take(line)
    }
    state.take("You are talking to bob@b.")
    state.take("Missed messages from bob@b, older than the lines above:")
    #expect(state.isOnline && state.problems == 0)
    state.take("The connection broke.")
    #expect(!state.isOnline && state.problems == 1)
  }
}
