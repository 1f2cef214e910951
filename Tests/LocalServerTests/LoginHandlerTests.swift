import Crypto
import Foundation
import Sockets
import TestSupport
import Testing
import XMPP

@testable import LocalServer

/// Signing in to the built-in server over HTTP.
@Suite(.timeLimit(.minutes(6))) struct LoginHandlerTests {
  private let talk = WebTalk()

  @Test func `a password becomes a token that signs in, is renewed once, and is withdrawn`()
    async throws
  {
    try await withServer { server in
      let web = try await talk.web(server)
      let password = "grant_type=password"
      let granted = try await talk.post(
        "\(web)/oauth/token", password, "username=erin@localhost", "password=secret")
      #expect(granted.status == 200)
      let first = try talk.tokens(granted.body)
      #expect(first.expires_in == 3600)
      #expect(await talk.failure(of: first.access_token, server) == nil)

      let renewed = try await talk.post(
        "\(web)/oauth/token", "grant_type=refresh_token", "refresh_token=\(first.refresh_token)")
      let second = try talk.tokens(renewed.body)
      #expect(await talk.failure(of: second.access_token, server) == nil)
      let again = try await talk.post(
        "\(web)/oauth/token", "grant_type=refresh_token", "refresh_token=\(first.refresh_token)")
      #expect(again.status == 400)
      #expect(again.body.contains("invalid_grant"))

      #expect(
        try await talk.post("\(web)/oauth/revoke", "token=\(first.access_token)").status == 200)
      #expect(await talk.failure(of: first.access_token, server) != nil)
      #expect(await talk.failure(of: second.access_token, server) == nil)
      // What renews takes everything with it.
      #expect(
        try await talk.post("\(web)/oauth/revoke", "token=\(second.refresh_token)").status == 200)
      #expect(await talk.failure(of: second.access_token, server) != nil)
    }
  }

  @Test func `a token whose time is over does not sign in`() async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let granted = try await talk.post(
        "\(web)/oauth/token", "grant_type=password", "username=erin", "password=secret", "ttl=0")
      guard
        case .accessToken? = await talk.failure(
          of: try talk.tokens(granted.body).access_token, server)
      else {
        Issue.record("it signs in")
        return
      }
    }
  }

  @Test(arguments: ["nan", "inf", "1e300", "long"])
  func `a request for an invalid lifetime is ignored`(life: String) async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let granted = try await talk.post(
        "\(web)/oauth/token", "grant_type=password", "username=erin", "password=secret",
        "ttl=\(life)")
      #expect(try talk.tokens(granted.body).expires_in == 3600)
    }
  }

  @Test(arguments: [
    (["grant_type=password", "username=erin", "password=wrong"], "invalid_grant"),
    (["grant_type=password", "username=nobody", "password=secret"], "invalid_grant"),
    (["grant_type=password", "username=erin@elsewhere", "password=secret"], "invalid_grant"),
    (["grant_type=password"], "invalid_grant"), (["grant_type=magic"], "unsupported_grant_type"),
    (["x=y"], "unsupported_grant_type"), (["grant_type=refresh_token"], "invalid_request"),
  ])
  func `everything else is refused in the terms of the standard`(fields: [String], error: String)
    async throws
  {
    try await withServer { server in
      let web = try await talk.web(server)
      let run = try await CommandRun.check(
        "curl",
        ["-sS", "--noproxy", "*", "\(web)/oauth/token"]
          + fields.flatMap { ["--data-urlencode", $0] })
      #expect(run.text == "{\"error\":\"\(error)\"}")
    }
  }

  @Test func `a code that is typed on a page lets a device sign in, and a refusal is heard`()
    async throws
  {
    struct Device: Decodable {
      let device_code: String
      let user_code: String
    }
    try await withServer { server in
      let web = try await talk.web(server)
      let grant = "grant_type=urn:ietf:params:oauth:grant-type:device_code"
      for isDenied in [false, true] {
        let device = try JSONDecoder().decode(
          Device.self, from: Data(try await talk.post("\(web)/oauth/device", "a=b").body.utf8))
        let code = "device_code=\(device.device_code)"
        #expect(
          try await talk.post("\(web)/oauth/token", grant, code).body.contains(
            "authorization_pending"))
        let wrong = try await talk.post(
          "\(web)/device", "user_code=\(device.user_code)", "username=erin", "password=no")
        #expect(wrong.body.contains("Wrong name or password"))
        _ = try await talk.post(
          "\(web)/device", "user_code=\(device.user_code.lowercased())", "username=erin",
          "password=secret", isDenied ? "deny=1" : "x=y")
        let answer = try await talk.post("\(web)/oauth/token", grant, code)
        if isDenied {
          #expect(answer.body.contains("access_denied"))
        } else {
          #expect(await talk.failure(of: try talk.tokens(answer.body).access_token, server) == nil)
        }
        #expect(
          try await talk.post("\(web)/oauth/token", grant, code).body.contains("expired_token"))
      }
    }
  }

  @Test func `a device that asks too often has to slow down, and a code ends with its time`() {
    let devices = Devices()
    let (device, user) = devices.begin(at: 0)
    #expect(devices.state(of: device, at: 1) == .waiting)
    #expect(devices.state(of: device, at: 1.2) == .hasty)
    #expect(devices.state(of: device, at: 3) == .waiting)
    #expect(!devices.decide("WRNG-CODE", "erin", at: 3))
    #expect(!devices.decide(user, "erin", at: 601))
    #expect(devices.state(of: device, at: 601) == .expired)
    #expect(devices.decide(user, "erin", at: 4))
    #expect(!devices.decide(user, "mallory", at: 4))
    #expect(devices.state(of: device, at: 5) == .approved("erin"))
    #expect(devices.state(of: device, at: 6) == .expired)
  }

  @Test func `its page shows nothing of what it is given but letters`() async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let page = try await CommandRun.check(
        "curl", ["-sSg", "--noproxy", "*", "\(web)/device?user_code=%22%3E%3Cscript%3E1"])
      #expect(page.text.contains("value=\"script\""))
      #expect(!page.text.contains("<script"))
    }
  }

  @Test func `huge and odd bodies are refused`() async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let huge = try await CommandRun.check(
        "curl",
        ["-sS", "--noproxy", "*", "-H", "Expect:", "\(web)/oauth/token", "--data-binary", "@-"],
        input: "grant_type=" + String(repeating: "x", count: 20_000))
      #expect(huge.text.contains("invalid_request"))
      let json = try await CommandRun.check(
        "curl",
        [
          "-sS", "--noproxy", "*", "-H", "Content-Type: application/json",
          "\(web)/oauth/token", "-d", "{}",
        ])
      #expect(json.text.contains("invalid_request"))
    }
  }
}
