import Foundation
import TestSupport
import Testing
import XML

@testable import XMPP

/// The full-text search in an archive (XEP-0431).
@Suite struct FullTextSearchTests {
  @Test func `a query with a text has it in the form`() throws {
    var query = XEP0313Query(.last, limit: 50)
    query.text = "rhubarb cake"
    let form = try #require(
      query.element(id: "q1").first("query", Namespace.archive)?.first("x", Namespace.dataForms)
        .flatMap { XEP0004DataForm($0) })
    #expect(form.formType == Namespace.archive)
    #expect(form[XEP0431FullText.field]?.values == ["rhubarb cake"])
    query.text = nil
    #expect(
      query.element(id: "q1").first("query", Namespace.archive)?.first("x", Namespace.dataForms)
        == nil)
  }

  @Test func `a form offers it only under its own name`() {
    func answer(_ fields: [String]) -> Element {
      Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "query", Namespace.archive, [:],
            [XEP0004DataForm(.form, fields: fields.map { .init($0) }).element])
        ])
    }
    #expect(XEP0431FullText.isInForm(answer(["with", "{urn:xmpp:fulltext:0}fulltext"])))
    // ejabberd's own field.
    #expect(!XEP0431FullText.isInForm(answer(["with", "withtext"])))
    #expect(!XEP0431FullText.isInForm(Element("iq", Namespace.client, ["type": "result"])))
  }
}
