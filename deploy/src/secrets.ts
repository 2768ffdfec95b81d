import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

// `npm run secrets`: adds the secrets of compose.prod.yml that .env does not have yet. Existing lines are never changed.
const root = resolve(import.meta.dirname, '../..')

export function secretsFor(compose: string, env: string, keptMasterKey: string | null): string[] {
  const wanted = new Set([...compose.matchAll(/\$\{(\w+):\?is missing, npm run secrets/g)].map((match) => match[1]!))
  const given = new Set([...env.matchAll(/^(\w+)=./gm)].map((match) => match[1]!))
  return [...wanted]
    .filter((name) => !given.has(name))
    .map(
      (name) =>
        `${name}=${name === 'MASTER_KEY' ? (keptMasterKey ?? randomBytes(32).toString('base64')) : randomBytes(24).toString('hex')}`,
    )
}

function main() {
  const [file, kept] = [join(root, '.env'), join(root, '.operon/keys/master.key')]
  const env = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const keptMasterKey = existsSync(kept) ? readFileSync(kept, 'utf8').trim() : null
  const lines = secretsFor(readFileSync(join(root, 'compose.prod.yml'), 'utf8'), env, keptMasterKey)
  if (lines.length) writeFileSync(file, `${env}${env && !env.endsWith('\n') ? '\n' : ''}${lines.join('\n')}\n`, { mode: 0o600 })
  console.log(
    lines.length ? `operon: wrote into .env: ${lines.map((line) => line.split('=')[0]).join(', ')}` : 'operon: .env has every secret',
  )
  if (!/^PUBLIC_URL=./m.test(env)) console.log('operon: PUBLIC_URL is still missing in .env: the address that people open')
  if (!/^SMTP_URL=./m.test(env)) console.log('operon: SMTP_URL is still missing in .env: without it nobody can confirm an address')
}

if (import.meta.main) main()
