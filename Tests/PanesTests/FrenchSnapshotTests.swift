import Terminal
import Testing
import ViewModels

@testable import Panes

/// Guide, sign-in, help and settings in French, at the sizes of the wireframes.
@Suite struct FrenchSnapshotTests {
  private let language = "fr"

  @Test func `the first page of the guide at 80x24`() {
    #expect(
      picture(guidePane(page: 0, in: language), 80, 24) == """
        +- Bienvenue dans Natter   1/4 ----------------------------------------+
        |                                                                      |
        |  Natter est un bureau de discussion pour votre terminal. Il parle    |
        |  XMPP : choisissez un serveur, ou faites tourner le vôtre.           |
        |                                                                      |
        |    Discussions  une ligne par personne, les non lus d'abord          |
        |    Historique   gardé sur cet ordinateur, lisible sans réseau        |
        |    Hors ligne   écrivez quand vous voulez : c'est envoyé à la        |
        |                 connexion                                            |
        |    /            les commandes : tapez / puis Tab                     |
        |                                                                      |
        |  Trois touches suffisent pour aujourd'hui :                          |
        |    F1           l'aide, selon l'endroit où vous êtes                 |
        |    ^J           une nouvelle ligne ; Entrée envoie                   |
        |    ^Q           quitter                                              |
        |                                                                      |
        | Thème    < auto >                                                    |
        |                                                                      |
        | [>Suivant<]   [ Passer le guide ]                            * o o o |
        |                                                                      |
        | Entrée suivant   Gauche/Droite page   Échap passer                   |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the first page of the guide at 40x15`() {
    #expect(
      picture(guidePane(page: 0, in: language), 40, 15) == """
        +- Bienvenue dans Natter   1/4 --------+
        | La discussion dans votre terminal.   |
        | Discussions  les non lus d'abord     |
        | Historique   gardé sur cet           |
        |              ordinateur              |
        | Hors ligne   écrivez quand vous      |
        |              voulez                  |
        | /            puis Tab : commandes    |
        | Trois touches suffisent pour         |
        | aujourd'hui :                        |
        | F1           aide                    |
        | ^J           une nouvelle ligne ;    |
        | [>Suivant<] [ Passer ]       * o o o |
        +------------------------------------v-+
        PgSuiv suite  Entrée suivant
        """)
  }

  @Test func `the last page of the guide at 80x24`() {
    #expect(
      picture(guidePane(page: 3, in: language), 80, 24) == """
        +- Bienvenue dans Natter   4/4 ----------------------------------------+
        |                                                                      |
        |  C'est tout. Par quoi voulez-vous commencer ?                        |
        |                                                                      |
        |    Se connecter    vous avez une adresse, comme alice@example.org    |
        |    Nouveau compte  beaucoup de serveurs en donnent, avec un nom et   |
        |                    un mot de passe                                   |
        |    Essayer ici     un serveur à vous sur cet ordinateur : ni réseau, |
        |                    ni compte                                         |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        | [>Se connecter<]   [ Nouveau compte ]   [ Essayer ici ]      o o o * |
        |                                                                      |
        | Entrée choisir   Gauche/Droite page   Échap passer                   |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the sign-in form at 80x24`() {
    #expect(
      picture(filledSignInPane(in: language), 80, 24) == """
        +- Connexion ----------------------------------------------------+
        |                                                                |
        |>Adresse         [alice@example.org                           ] |
        |                  Natter va contacter example.org               |
        | Mot de passe    [                                            ] |
        |                  Alt+V montre ce que vous tapez                |
        |                                                                |
        | [x] Se souvenir de moi sur cet ordinateur                      |
        | [x] Se connecter au démarrage de Natter                        |
        |                                                                |
        | [ Se connecter ]   [ Nouveau compte... ]                       |
        |                                                                |
        | v Avancé : serveur, port, TLS, certificat                      |
        |                                                                |
        |                                                                |
        |                                                                |
        | Tab champ suivant   Entrée se connecter   ^Q quitter   F1 aide |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `the sign-in form at 40x15`() {
    #expect(
      picture(filledSignInPane(in: language), 40, 15) == """
        +- Connexion --------------------------+
        |>Adresse      [alice@example.org    ] |
        |   Natter va contacter example.org    |
        | Mot de passe [                     ] |
        |   Alt+V montre ce que vous tapez     |
        |                                      |
        | [x] Se souvenir                      |
        | [x] Au démarrage                     |
        |                                      |
        | [ Se connecter ] [ Nouveau compte ]  |
        |                                      |
        | v Avancé                             |
        |                                      |
        +--------------------------------------+
        Tab champ suivant  Entrée se connecter
        """)
  }

  @Test func `the help at 120x40`() {
    #expect(
      picture(helpPane(in: language), 120, 40) == """
        +- Aide : Ligne de saisie   (1/4) -----------------------------------------------------------------+
        |                                                                                                  |
        |  CETTE PARTIE                                    PARTOUT                                         |
        |  Entrée      envoyer                             F1            aide                              |
        |  ^J          nouvelle ligne                      ^O, Alt+X     aller partout, tout faire         |
        |  Tab         compléter une commande, une         F2..F6        les onglets : Discussions,        |
        |              adresse, un nom, un chemin, un                    Contacts ... Moi                  |
        |              :emoji                              ^X Tab        l'onglet suivant                  |
        |  Maj+Tab     la proposition d'avant              Alt+N         compte suivant                    |
        |  Haut        ce que vous avez tapé avant         Alt+A         prochaine discussion non lue      |
        |  Bas         ce que vous avez tapé après         ^N, Alt+Bas   discussion suivante               |
        |  ^R          chercher dans ce que vous avez      ^P            discussion précédente             |
        |              écrit                               Alt+Z         retour à la dernière discussion   |
        |  ^X ^E       modifier le texte dans votre        Tab, F7       partie suivante (saisie vide)     |
        |              éditeur                             Maj+Tab       partie précédente                 |
        |                                                  Échap, ^G     fermer, ou retour à la saisie     |
        |                                                  Alt+S         liste montrée ou non              |
        |                                                  Alt+M         gens du salon montrés ou non      |
        |                                                  Alt+L         vue nue, pour sélectionner à la   |
        |                                                                souris                            |
        |                                                  Alt+T         jour ou nuit                      |
        |                                                  Alt+W         cacher cette discussion           |
        |                                                  Alt+R         répondre à un message             |
        |                                                  Alt+E         corriger un message               |
        |                                                  ^X o          liens et fichiers d'ici           |
        |                                                  Alt+U         choisir des fichiers à envoyer    |
        |                                                  Alt+I         insérer un émoji                  |
        |                                                  ^X |          deux conversations côte à côte,   |
        |                                                                ou de nouveau une seule           |
        |                                                  ^X -          deux conversations l'une          |
        |                                                                au-dessus de l'autre, ou de       |
        |                                                                nouveau une seule                 |
        |                                                                                                  |
        |  Pas de touche Alt ? ^X puis la lettre : ^X a = Alt+A.                                           |
        |  Échap fermer   PgSuiv suite   / chercher   g guide                                              |
        +------------------------------------------------------------------------------------------------v-+
        """)
  }

  @Test func `the help at 80x24`() {
    #expect(
      picture(helpPane(in: language), 80, 24) == """
        +- Aide : Ligne de saisie   (1/4) -----------------------------------------+
        |                                                                          |
        |  CETTE PARTIE                        PARTOUT                             |
        |  Entrée      envoyer                 F1            aide                  |
        |  ^J          nouvelle ligne          ^O, Alt+X     aller partout, tout   |
        |  Tab         compléter une                         faire                 |
        |              commande, une           F2..F6        les onglets :         |
        |              adresse, un nom, un                   Discussions,          |
        |              chemin, un :emoji                     Contacts ... Moi      |
        |  Maj+Tab     la proposition          ^X Tab        l'onglet suivant      |
        |              d'avant                 Alt+N         compte suivant        |
        |  Haut        ce que vous avez tapé   Alt+A         prochaine             |
        |              avant                                 discussion non lue    |
        |  Bas         ce que vous avez tapé   ^N, Alt+Bas   discussion suivante   |
        |              après                   ^P            discussion            |
        |  ^R          chercher dans ce que                  précédente            |
        |                                                                          |
        |  Pas de touche Alt ? ^X puis la lettre : ^X a = Alt+A.                   |
        |  Échap fermer   PgSuiv suite   / chercher   g guide                      |
        +------------------------------------------------------------------------v-+
        """)
  }

  @Test func `the help at 40x15`() {
    #expect(
      picture(helpPane(in: language), 40, 15) == """
        +- Aide : Ligne de saisie   (1/4) -----+
        | CETTE PARTIE                         |
        | Entrée      envoyer                  |
        | ^J          nouvelle ligne           |
        | Tab         compléter une commande,  |
        |             une adresse, un nom, un  |
        |             chemin, un :emoji        |
        | Maj+Tab     la proposition d'avant   |
        | Haut        ce que vous avez tapé    |
        |             avant                    |
        | Bas         ce que vous avez tapé    |
        |             après                    |
        | Échap fermer  PgSuiv suite           |
        +------------------------------------v-+
        """)
  }

  @Test func `the settings at 120x40`() async {
    let harness = await settingsHarness(Size(rows: 40, columns: 120), in: language)
    #expect(
      harness.picture == """
         F2 Discussions 3  F3 Contacts  F5 Fichiers [F6 Moi]                                alice@example.org  * en ligne  14:02
                                   | > Apparence
         > Apparence               |
           Notifications           |   Thème                  natter-night
           Vie privée              | > Langue                 fr
           Fichiers                |   Touches de la saisie   emacs
           Connexion               |   Horloge                oui
           Journal                 |   Souris                 oui
           À propos                |   Liste des discussions  oui
                                   |   Moins de mouvement     non
                                   |
                                   | La langue. auto : comme le dit l'environnement (LC_ALL, LC_MESSAGES, LANG).
                                   | D'origine : automatique
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |

        F1 Aide  Entrée Ouvrir  Haut/Bas Choisir  Gauche/Droite Changer  ^O Aller  Alt+A Non lu  ^N/^P Discussion  Tab Partie
        """)
  }

  @Test func `the settings at 80x24`() async {
    let harness = await settingsHarness(Size(rows: 24, columns: 80), in: language)
    #expect(
      harness.picture == """
         F2 Discussions 3  F3 Contacts  F5 Fichiers [F6 Moi]            * en ligne 14:02
                             | > Apparence
         > Apparence         |
           Notifications     |   Thème                  natter-night
           Vie privée        | > Langue                 fr
           Fichiers          |   Touches de la saisie   emacs
           Connexion         |   Horloge                oui
           Journal           |   Souris                 oui
           À propos          |   Liste des discussions  oui
                             |   Moins de mouvement     non
                             |
                             | La langue. auto : comme le dit l'environnement (LC_ALL,
                             | LC_MESSAGES, LANG).
                             | D'origine : automatique
                             |
                             |
                             |
                             |
                             |
                             |
                             |
                             |

        F1 Aide  Entrée Ouvrir  Haut/Bas Choisir  Gauche/Droite Changer  ^O Aller
        """)
  }

  @Test func `the settings at 40x15`() async {
    let harness = await settingsHarness(Size(rows: 15, columns: 40), in: language)
    #expect(
      harness.picture == """
         F2 4  F3  F5 [Moi]     * en ligne 14:02
         > Apparence

           Thème                 natter-night
         > Langue                fr
           Touches de la saisie  emacs
           Horloge               oui
           Souris                oui
           Liste des discussions oui
           Moins de mouvement    non

         La langue. auto : comme le dit
         l'environnement (LC_ALL, LC_MESSAGES,
         LANG).
         D'origine : automatique
        """)
  }
}
