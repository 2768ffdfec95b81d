import { gmailWire } from './google.ts'
import { outlookWire } from './microsoft.ts'
import type { MailWire } from './wire.ts'

const wires: Record<string, MailWire> = { gmail: gmailWire, outlook: outlookWire }
export const isMailbox = ({ app }: { app: string }) => Object.hasOwn(wires, app)
export const mailWireOf = (app: string): MailWire => wires[app]!

/** A person may approve less than was asked. Microsoft names a right with or without its address. */
export const canRead = ({ app, scopes }: { app: string; scopes: string[] }) => {
  const { scope } = mailWireOf(app)
  return scopes.some((each) => each === scope || each.endsWith(`/${scope}`))
}
