import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// The whole profile as a form in which two fields were changed.
func profileFormPane(in language: String) async throws -> FormPane {
  let harness = await ShellHarness(
    Size(rows: 24, columns: 80),
    factories: [
      MeFactory(pages: [
        .profile {
          ProfileViewModel(
            shell: $0, profile: FakeProfile(ProfileSnapshotTests.card), mediator: Mediator()
          ) { _ in throw NatterError(.invalidInput, "error.unexpected") }
        }
      ])
    ], language: language)
  harness.press(Key(.function(6)), .enter)
  await harness.settle()
  harness.press(.character("e"))
  let form = try #require(harness.forms.last)
  form.focus(on: "web")
  form.edit("alice.example", cursor: 13)
  form.focus(on: "city")
  form.edit("Ly", cursor: 2)
  return FormPane(glyphs: .ascii, localizer: localizer(language)) { form }
}

@Suite struct ProfileSnapshotTests {
  static let card = PersonCard([
    .nickname: "alice", .fullName: "Alice Dubois", .note: "Terminals, tea, trains",
    .country: "France", .city: "Lyon",
  ])

  private func harness(_ size: Size, _ profile: FakeProfile) async -> ShellHarness {
    let harness = await ShellHarness(
      size,
      factories: [
        MeFactory(pages: [
          .profile {
            ProfileViewModel(shell: $0, profile: profile, mediator: Mediator()) { _ in
              throw NatterError(.invalidInput, "error.unexpected")
            }
          },
          .about { AboutViewModel(shell: $0, sources: .forTests) },
        ])
      ])
    harness.press(Key(.function(6)), .enter)
    await harness.settle()
    return harness
  }

  @Test func `the profile at 80x24`() async {
    let harness = await harness(Size(rows: 24, columns: 80), FakeProfile(Self.card))
    #expect(
      harness.picture == """
         F2 Chats 3 [F6 Me]                           alice@example.org  * online  14:02
                             | > Your profile
         > Profile           |
           About             | > Nickname         alice
                             |   Name             Alice Dubois
                             |   Birthday         none
                             |   Organisation     none
                             |   E-mail           none
                             |   Phone            none
                             |   Web              none
                             |   About            Terminals, tea, trains
                             |   Street           none
                             |   Postcode         none
                             |   Region           none
                             |   Country          France
                             |   City             Lyon
                             |   Who can read it  my contacts
                             |   Picture          none
                             |
                             | Contacts see this name, unless they chose their own name
                             | for you.
                             | Last read from your server: Friday 20 November 13:30

        F1 Help  Enter Open  Up/Down Select  e Edit  ^O Go to  Alt+A Next unread
        """)
  }

  @Test func `the profile at 40x15, where the list scrolls`() async {
    let harness = await harness(Size(rows: 15, columns: 40), FakeProfile(Self.card))
    #expect(
      harness.picture == """
         F2 Chats 4 [F6 Me]       * online 14:02
         > Your profile

         > Nickname         alice
           Name             Alice Dubois
           Birthday         none
           Organisation     none
           E-mail           none
           Phone            none
           Web              none               v

         Contacts see this name, unless they
         chose their own name for you.
         Last read from your server: Friday 20
         November 13:30
        """)
  }

  @Test func `the profile at 120x30, with a change that was refused`() async {
    let profile = FakeProfile(Self.card)
    let harness = await harness(Size(rows: 30, columns: 120), profile)
    await profile.refuse(NatterError(.refused, "error.noAnswer"))
    harness.press(Key(.delete))
    await harness.settle()
    #expect(
      harness.picture == """
         F2 Chats 3 [F6 Me]                                                                   alice@example.org  * online  14:02
                                   | > Your profile
         > Profile                 |
           About                   | > Nickname         alice  The server did not answer in time. Try again.
                                   |   Name             Alice Dubois
                                   |   Birthday         none
                                   |   Organisation     none
                                   |   E-mail           none
                                   |   Phone            none
                                   |   Web              none
                                   |   About            Terminals, tea, trains
                                   |   Street           none
                                   |   Postcode         none
                                   |   Region           none
                                   |   Country          France
                                   |   City             Lyon
                                   |   Who can read it  my contacts
                                   |   Picture          none
                                   |
                                   | The server did not answer in time. Try again.
                                   | Contacts see this name, unless they chose their own name for you.
                                   | Last read from your server: Friday 20 November 13:30
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
         The server did not answer in time. Try again.
        F1 Help  Enter Open  Up/Down Select  e Edit  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^Q Quit
        """)
  }
}
