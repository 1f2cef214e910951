// The flows around the conversations: start-up, modules and mediator, the shell (flows.md).
extension FlowCoverageTests {
  static let startUp = [
    Branch("start-up", "signed in? yes: TCP login, root", "signed in: yes, the shell opens"),
    Branch(
      "start-up", "signed in? no: feature guide",
      "signed in: no, on the first run the guide comes first"),
    Branch(
      "start-up", "the guide on the first run only",
      "signed in: no, later the form comes at once, with the known address"),
    Branch("start-up", "the guide can be reopened from Help", "g opens the guide"),
    Branch(
      "start-up", "every page skippable with one key",
      "each page of the guide is left with one key, for the form"),
    Branch(
      "start-up", "HTTP login: password grant",
      "where the server signs in over HTTP the token is kept, and the password is not"),
    Branch(
      "start-up", "HTTP login: device authorization grant",
      "a code that is typed on a page lets a device sign in, and a refusal is heard"),
    Branch(
      "start-up", "HTTP login: authorization code",
      "a browser on this machine passes the code to Natter by itself"),
    Branch(
      "start-up", "no HTTP login: straight to TCP login",
      "a server without such a login is signed in to by password, unasked"),
    Branch(
      "start-up", "register",
      "answers, name and password go to the server, and the account is signed in",
      "from the guide to registration and back to sign-in, and nothing typed is lost"),
    Branch(
      "start-up", "forgot password",
      "a user who forgot the password is shown the server's page, its text and its people",
      "a user who forgot the password is shown whom the server names"),
    Branch(
      "start-up", "password change in-band",
      "another password is good at once, and the old one is not"),
    Branch(
      "start-up", "TCP login with the token",
      "a good access token signs in by OAUTHBEARER, and a bad one is reported as such"),
    Branch(
      "start-up", "TCP login: SCRAM, PLAIN only inside TLS",
      "the strongest comes first, and PLAIN only where no one reads along",
      "without TLS the password is not shown to a port of this machine either",
      "where the server stores SHA-256 passwords, SCRAM-SHA-256 signs in"),
    Branch(
      "start-up", "TCP login: the domain's record leads to the server",
      "an address and a password are enough: the domain's record leads to its server",
      "the certificate has to be good for the domain, and not for the host of the record"),
    Branch(
      "start-up", "the first frame does not wait for the network",
      // With the account's messages, where the server never answers.
      "killed, cut off or left while it catches up, it knows what it lacks, and gets it",
      "the full screen says what is wrong, and goes on"),
  ]

  static let modules = [
    Branch(
      "modules", "natter://script/NAME/... goes to a script",
      "an address of a script asks first if somebody else wrote it"),
    Branch(
      "modules", "natter:// and xmpp: addresses reach what was published",
      "an address runs the action that is published for it"),
    Branch(
      "modules", "unknown module, action or parameter: one not-found handler",
      "an action that was not published is reported, and nothing is done",
      "the palette opens addresses, and says what there is not"),
    Branch(
      "modules", "the profile editor asks for the country, then for the city",
      "country and then city come from the module that answers to their names"),
  ]

  static let shell = [
    Branch(
      "shell", "switches between the sub-apps",
      "going to another sub-app and back keeps position and draft",
      "another tab slides in where that is wanted and the line is quick"),
    Branch(
      "shell", "a sub-app is made by a factory from three parts",
      "a further sub-app takes one factory, and is reached by key, by mouse and by ctrl-x tab"),
    Branch(
      "shell", "an expired token anywhere: sign in again, drafts and position kept",
      "a sign-in that ends asks for the password over the chat, and all is where it was"),
    Branch(
      "shell", "a language switch keeps the position",
      "--lang and the settings choose the language, each sub-app keeps its position",
      "at 40 columns a change of language keeps the open conversation"),
    Branch(
      "shell", "terminal resizes", "a resize is a whole new screen in one frame",
      "12: 40 resizes in a second, then back: the screen is identical"),
    Branch(
      "shell", "the user's own themes", "one's own theme of a shipped name can inherit that one"),
    Branch(
      "shell", "Discover: public rooms, and feeds that are followed",
      "the preview shows what is known, then what the room says, and joins through the mediator",
      "a feed is followed, read, reported and left"),
    Branch(
      "shell", "user module: one profile field is changed",
      "another country asks before it empties the city, from the list and when it is typed"),
  ]
}
