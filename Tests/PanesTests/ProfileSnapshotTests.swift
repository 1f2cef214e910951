import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

@Suite struct ProfileSnapshotTests {
  private static let card = PersonCard([
    .nickname: "alice", .fullName: "Alice Dubois", .note: "Terminals, tea, trains",
    .country: "France", .city: "Lyon",
  ])

  private func harness(_ size: Size, _ profile: FakeProfile) async -> ShellHarness {
    let harness = await ShellHarness(
      size,
      factories: [
        MeFactory(pages: [
          .profile { ProfileViewModel(shell: $0, profile: profile, mediator: Mediator()) },
          .about { [] },
        ])
      ])
    harness.press(Key(.function(6)), .enter)
    await harness.settle()
    return harness
  }

  @Test func `the profile at 80x24`() async {
    let harness = await harness(Size(rows: 24, columns: 80), FakeProfile(Self.card))
    #expect(harness.picture == "")
  }

  @Test func `the profile at 40x15, where the list scrolls`() async {
    let harness = await harness(Size(rows: 15, columns: 40), FakeProfile(Self.card))
    #expect(harness.picture == "")
  }

  @Test func `the profile at 120x30, with a change that was refused`() async {
    let profile = FakeProfile(Self.card)
    let harness = await harness(Size(rows: 30, columns: 120), profile)
    await profile.refuse(NatterError(.refused, "error.noAnswer"))
    harness.press(Key(.delete))
    await harness.settle()
    #expect(harness.picture == "")
  }
}
