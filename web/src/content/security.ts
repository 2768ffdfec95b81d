import { Braces, FileClock, Fingerprint, KeyRound, type LucideIcon, ReceiptText, ScanLine, TableProperties, Timer } from 'lucide-react'

/** The text of the security page. Each sentence is true of the code, so a change of the one changes the other. */
export const measures: { title: string; text: string; icon: LucideIcon }[] = [
  {
    title: 'Passwords',
    text: 'Stored as argon2id hashes. The passwords that anyone would try first, and those made of your own name or address, are refused. Sign-in takes the same time for an unknown address.',
    icon: KeyRound,
  },
  {
    title: 'Sessions',
    text: 'Access tokens live an hour and are signed with keys that only the account service holds. Each refresh replaces the refresh token; an older one ends the session. You see every device and can sign it out.',
    icon: Timer,
  },
  {
    title: 'Passkeys and second factor',
    text: 'Sign in with a passkey instead of a password. Protect the account with an authenticator app or a security key, and ten recovery codes that each work once. Exporting, deleting and other sensitive acts ask for it, or for your password again.',
    icon: Fingerprint,
  },
  {
    title: 'Separation',
    text: 'Every row belongs to an account, and every query names it, on the server. Each service has a database of its own that no other opens.',
    icon: TableProperties,
  },
  {
    title: 'Secrets',
    text: 'Authenticator secrets, signing keys and the tokens of sign-in providers are encrypted one by one with AES-256-GCM, under a key that can be rotated.',
    icon: Braces,
  },
  {
    title: 'In the browser',
    text: 'A strict content security policy: only scripts that came with the app run. Fonts and images come from here, nothing from third parties, and there are no trackers.',
    icon: ScanLine,
  },
  {
    title: 'Payments',
    text: 'Card data goes to the payment provider only. Every movement is booked twice, in a ledger that no code changes or deletes.',
    icon: ReceiptText,
  },
  {
    title: 'Account log',
    text: 'Sign-ins and changes are logged with time, address and device, kept for two years or longer by plan, and shown to you in the settings.',
    icon: FileClock,
  },
]
