import NatterCore
import Terminal
import Testing
import Text
import ViewModels

@testable import Panes

/// Labels that are longer than their column, as servers and languages have them.
@Suite struct LongLabelTests {
  private func settings(_ language: String) -> FormPane {
    let model = RoomFormViewModel(
      DataForm(
        fields: [
          .init(
            name: "muc#roomconfig_roomname", kind: .text, label: "Room name", values: ["The den"]),
          .init(
            name: "muc#roomconfig_persistentroom", kind: .boolean, label: "Persistent",
            values: ["1"]),
          .init(
            name: "muc#roomconfig_whois",
            kind: .choice([
              .init(label: "Moderators Only", value: "moderators"),
              .init(label: "Anyone", value: "anyone"),
            ]), label: "Who", values: ["moderators"]),
          .init(name: "muc#roomconfig_maxusers", kind: .text, label: "Max", values: ["200"]),
          .init(
            name: "own", kind: .text, label: "Donaudampfschifffahrtsgesellschaft", values: ["x"]),
        ]), title: "Settings", localizer: localizer(language))
    return FormPane(glyphs: .ascii, localizer: localizer(language)) { model.form }
  }

  @Test func `in French at 40x15`() {
    #expect(
      picture(settings("fr"), 40, 15) == """
        +- Settings ---------------------------+
        |>Nom          [The den              ] |
        | [x] Reste quand tout le monde est    |
        |     parti                            |
        | Qui voit les < Modérateurs >         |
        | adresses                             |
        | Occupants au [200                  ] |
        | plus (0 :                            |
        | sans limite)                         |
        | Donaudampfsc [x                    ] |
        | hifffahrtsge                         |
        | sellschaft                           |
        | [ Enregistrer ] [ Annuler ]          |
        +--------------------------------------+
        Entrée enregistrer  Échap fermer
        """)
  }

  @Test func `in French at 80x24`() {
    #expect(
      picture(settings("fr"), 80, 24) == """
        +- Settings -----------------------------------------------------+
        |                                                                |
        |>Nom                      [The den                            ] |
        | [x] Reste quand tout le monde est parti                        |
        | Qui voit les adresses    < Modérateurs >                       |
        | Occupants au plus        [200                                ] |
        | (0 : sans limite)                                              |
        | Donaudampfschifffahrt    [x                                  ] |
        | sgesellschaft                                                  |
        |                                                                |
        |                                                                |
        |                                                                |
        |                                                                |
        | [ Enregistrer ]   [ Annuler ]                                  |
        |                                                                |
        | Entrée enregistrer   Échap fermer                              |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `in French at 120x40`() {
    #expect(
      picture(settings("fr"), 120, 40) == """
        +- Settings -----------------------------------------------------+
        |                                                                |
        |>Nom                      [The den                            ] |
        | [x] Reste quand tout le monde est parti                        |
        | Qui voit les adresses    < Modérateurs >                       |
        | Occupants au plus        [200                                ] |
        | (0 : sans limite)                                              |
        | Donaudampfschifffahrt    [x                                  ] |
        | sgesellschaft                                                  |
        |                                                                |
        |                                                                |
        |                                                                |
        |                                                                |
        | [ Enregistrer ]   [ Annuler ]                                  |
        |                                                                |
        | Entrée enregistrer   Échap fermer                              |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `in Chinese at 40x15`() {
    #expect(
      picture(settings("zh-Hans"), 40, 15) == """
        +- Settings ---------------------------+
        |>名称         [The den              ] |
        | [x] 所有人离开后保留                 |
        | 谁能看到地址 < 主持人 >              |
        | 人数上限（0  [200                  ] |
        | 表示不限）                           |
        | Donaudampfsc [x                    ] |
        | hifffahrtsge                         |
        | sellschaft                           |
        |                                      |
        |                                      |
        |                                      |
        | [ 保存 ] [ 取消 ]                    |
        +--------------------------------------+
        回车 保存  Esc 关闭
        """)
  }

  @Test func `what is below a label is seen with the field that has the focus`() {
    let pane = settings("fr")
    // Four rows for fields: the last one's label needs three of them.
    _ = picture(pane, 40, 8)
    for _ in 0..<4 { _ = pane.handle(Key(.tab)) }
    let shown = picture(pane, 40, 8)
    #expect(shown.contains(">Donaudampfsc [x"))
    #expect(shown.contains("hifffahrtsge"))
    #expect(shown.contains("sellschaft"))
  }

  @Test func `a choice that is longer than its column is cut before the mark at its end`() {
    let form = FormViewModel(
      title: "Welcome",
      fields: [FormField(.choice(["automatic: a theme of a long name"]), "theme", label: "Theme")],
      keyHints: [], invalidation: Invalidation())
    let shown = picture(FormPane(glyphs: .ascii, localizer: localizer("en")) { form }, 40, 8)
    #expect(shown.contains("< automatic: a theme") && shown.contains("~ >"), "\(shown)")
  }
}
