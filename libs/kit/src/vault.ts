import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type KitConfig, SetupError } from './config.ts'
import { DomainError } from './errors.ts'

/**
 * Envelope encryption of users' secrets: each value has a key of its own, wrapped by the master key, and is bound to `context`
 * (the table, row and tenant it belongs to), so that a value moved to another row does not open.
 * Sealed form: v1.<master key id>.<wrapped key>.<ciphertext>
 */
export class Vault {
  readonly #masters: Map<string, Buffer>
  readonly #current: string
  readonly #secrets = new Map<string, KeyObject>()

  /** The first key seals; all of them open, so that a key can be rotated. */
  constructor(masterKeys: Buffer[]) {
    this.#masters = new Map(masterKeys.map((key) => [keyId(key), key]))
    this.#current = keyId(masterKeys[0]!)
  }

  static async open(config: KitConfig): Promise<Vault> {
    const keys = (config.MASTER_KEY ?? (await keptKey(config.DATA_DIR))).split(',').map((key) => Buffer.from(key, 'base64'))
    if (keys.some((key) => key.length !== 32))
      throw new SetupError('MASTER_KEY: must be 32 bytes in base64 (several, the newest first, separated by commas)')
    return new Vault(keys)
  }

  seal(plain: string, context: string): string {
    const key = randomBytes(32)
    const wrapped = encrypt(this.#masters.get(this.#current)!, key, `key:${context}`)
    return ['v1', this.#current, wrapped, encrypt(key, Buffer.from(plain), context)].join('.')
  }

  open(sealed: string, context: string): string {
    const [version, id, wrapped, body] = sealed.split('.')
    const master = this.#masters.get(id ?? '')
    if (version !== 'v1' || !master || !wrapped || !body)
      throw new DomainError('internal', { cause: new Error('sealed with an unknown key') })
    return decrypt(decrypt(master, wrapped, `key:${context}`), body, context).toString()
  }

  /** Values sealed with the current key begin with this. Others are sealed again, so that the older key can be removed. */
  get prefix(): string {
    return `v1.${this.#current}.`
  }

  /** With one key alone there is nothing to seal anew, and what a newer one sealed is none of ours. */
  get isRotating(): boolean {
    return this.#masters.size > 1
  }

  /** A name for each key that reveals nothing of it. */
  get fingerprints(): string[] {
    return [...this.#masters.values()].map((key) => Buffer.from(hkdfSync('sha256', key, 'operon', 'fleet-key', 16)).toString('base64url'))
  }

  /** A key for one purpose that every process of the fleet arrives at. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', [...this.#masters.values()].at(-1)!, 'operon', purpose, 32))
  }

  /** The same, derived once, for what is signed often. */
  secret(purpose: string): KeyObject {
    const known = this.#secrets.get(purpose) ?? createSecretKey(this.derive(purpose))
    this.#secrets.set(purpose, known)
    return known
  }
}

const keyId = (key: Buffer) => Buffer.from(hkdfSync('sha256', key, 'operon', 'key-id', 6)).toString('base64url')

function encrypt(key: Buffer, plain: Buffer, context: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function decrypt(key: Buffer, sealed: string, context: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
}

/** Made once; several processes may start at the same time, so the file appears whole or not at all. */
async function keptKey(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'keys')
  const file = join(folder, 'master.key')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const kept = await readFile(file, 'utf8').catch(() => null)
  if (kept) return kept.trim()
  await writeFile(draft, randomBytes(32).toString('base64'), { mode: 0o600 })
  await link(draft, file).catch(() => {})
  await rm(draft)
  await chmod(file, 0o600)
  return (await readFile(file, 'utf8')).trim()
}
