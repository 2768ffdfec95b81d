import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

export const SELECTOR = 'operon'
const BITS = 2048

/** The key that signs what leaves by a mail server of the account's own. MailerSend signs by itself. */
export async function makeDkimKey(): Promise<{ publicKey: string; privateKey: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { publicKey: publicKey.toString('base64'), privateKey }
}

// RFC 8058 asks that a signature covers both of the last two. The mailer's own list leaves out the second.
export const SIGNED_HEADERS =
  'From:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post'
