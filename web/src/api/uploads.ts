import { useSyncExternalStore } from 'react'
import type { Upload as Tus } from 'tus-js-client'
import { loadBackend } from './session.ts'

/** One file on its way. It goes on while the person moves between pages. */
export type Upload = {
  key: string
  /** The owner of the file, such as a product. */
  of: string
  name: string
  bytes: number
  sent: number
  /** `waiting`: the connection is gone, and it goes on by itself when it is back. `choose`: the page was reloaded, so the file has to be chosen again. */
  state: 'sending' | 'waiting' | 'paused' | 'choose' | 'failed'
  problem?: string
}
type Running = { tus: Tus; done: (fileId: string) => Promise<unknown> }

const PIECE = 8 * 1024 * 1024
const kept = (of: string) => `operon-uploads:${of}`
const running = new Map<string, Running>()
const listeners = new Set<() => void>()
let uploads: Upload[] = []

function set(next: Upload[]) {
  uploads = next
  for (const listener of listeners) listener()
}
const change = (key: string, values: Partial<Upload>) => set(uploads.map((each) => (each.key === key ? { ...each, ...values } : each)))

/** Uploads of one thing: those on their way, and those that a reload cut off. */
export function useUploads(of: string): Upload[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => uploads,
  )
  return [...all.filter((each) => each.of === of), ...cutOff(of, all)]
}

/** The known progress of a file: the same file, chosen again, resumes there. */
const keyOf = (of: string, file: File) => [of, file.name, file.size, file.lastModified].join('|')

/** Sends a file in pieces. After a cut it asks how far the server is and goes on from there. */
export async function startUpload(of: string, service: string, file: File, done: (fileId: string) => Promise<unknown>): Promise<void> {
  const key = keyOf(of, file)
  if (running.has(key)) return
  const { Upload: Client } = await import('tus-js-client')
  const { accessToken } = await loadBackend()
  const tus: Tus = new Client(file, {
    endpoint: `${location.origin}/files/v1/${service}/~uploads`,
    chunkSize: PIECE,
    metadata: { filename: file.name, filetype: file.type },
    retryDelays: [0, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000],
    fingerprint: async () => `tus::${key}`,
    removeFingerprintOnSuccess: true,
    // A long upload outlives a token.
    onBeforeRequest: async (request) => {
      const token = await accessToken()
      request.setHeader('apikey', 'anon')
      if (token) request.setHeader('authorization', `Bearer ${token}`)
    },
    onShouldRetry: (error) => {
      const status = error.originalResponse?.getStatus() ?? 0
      const again = status === 0 || status === 423 || status === 409 || status === 429 || status >= 500
      if (again) change(key, { state: 'waiting' })
      return again
    },
    onProgress: (sent, bytes) => {
      change(key, { sent, state: 'sending' })
      keep(of, { key, name: file.name, bytes, sent })
    },
    onError: (error) => {
      running.delete(key)
      change(key, { state: 'failed', problem: problemOf(error) })
    },
    onSuccess: () => void finish(key),
  })
  running.set(key, { tus, done })
  set([...uploads.filter((each) => each.key !== key), { key, of, name: file.name, bytes: file.size, sent: 0, state: 'sending' }])
  const [before] = await tus.findPreviousUploads()
  if (before) tus.resumeFromPreviousUpload(before)
  tus.start()
}

async function finish(key: string) {
  const known = running.get(key)
  const upload = uploads.find((each) => each.key === key)
  if (!known || !upload) return
  running.delete(key)
  try {
    await known.done(known.tus.url!.split('/').at(-1)!)
    forget(key, upload.of)
  } catch (error) {
    change(key, { state: 'failed', problem: (error as Error).message })
    drop(upload.of, key)
  }
}

export async function pauseUpload(key: string) {
  await running.get(key)?.tus.abort()
  change(key, { state: 'paused' })
}
export function resumeUpload(key: string) {
  change(key, { state: 'sending' })
  running.get(key)?.tus.start()
}
/** Gives it up, here and on the server. */
export async function cancelUpload({ key, of }: Upload) {
  const known = running.get(key)
  running.delete(key)
  forget(key, of)
  for (const name of Object.keys(localStorage)) if (name.startsWith(`tus::${key}`)) localStorage.removeItem(name)
  await known?.tus.abort(true).catch(() => {})
}

/** Deletes a file that has arrived, so that its space is free again. */
export async function removeUpload(service: string, id: string) {
  const { authed } = await loadBackend()
  await authed(`/files/v1/${service}/~uploads/${id}`, { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } }).catch(() => {})
}

function forget(key: string, of: string) {
  drop(of, key)
  set(uploads.filter((each) => each.key !== key))
}

type Kept = { key: string; name: string; bytes: number; sent: number }
const read = (of: string): Kept[] => JSON.parse(localStorage.getItem(kept(of)) ?? '[]') as Kept[]
const write = (of: string, list: Kept[]) =>
  list.length ? localStorage.setItem(kept(of), JSON.stringify(list)) : localStorage.removeItem(kept(of))
const keep = (of: string, one: Kept) => write(of, [...read(of).filter(({ key }) => key !== one.key), one].slice(-20))
const drop = (of: string, key: string) =>
  write(
    of,
    read(of).filter((each) => each.key !== key),
  )
const cutOff = (of: string, all: Upload[]): Upload[] =>
  read(of)
    .filter(({ key }) => !all.some((each) => each.key === key))
    .map((one) => ({ ...one, of, state: 'choose' }))

function problemOf(error: Error): string {
  const body = (error as { originalResponse?: { getBody(): string } }).originalResponse?.getBody()
  try {
    return (JSON.parse(body ?? '') as { detail?: string }).detail ?? error.message
  } catch {
    return 'The upload stopped. Choose the file again to continue where it was.'
  }
}
