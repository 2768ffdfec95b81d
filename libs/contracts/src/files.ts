import { z } from 'zod'
import { endpoint, fn, id, job, time } from './contract.ts'
import type { Tier } from './plans.ts'
import type { ServiceName } from './services.ts'

/** The largest piece of an upload that is sent at once. */
export const PIECE_BYTES = 32 * 1024 * 1024

const GIB = 1024 ** 3
/** The most that all files of a person may take up. */
export const storageBytes: Record<Tier, number> = {
  none: 100 * 1024 ** 2,
  trial: 5 * GIB,
  basic: 5 * GIB,
  pro: 50 * GIB,
  enterprise: 500 * GIB,
}

const upload = z.object({ upload: id('upload') })

export const FILES_A_PAGE = 60
const KeptFile = z.object({
  id: id('upload'),
  name: z.string(),
  bytes: z.int(),
  type: z.string(),
  /** Something else refers to it, so it is not deleted by itself. */
  kept: z.boolean(),
  /** Signed, good for two hours, and always a download. */
  url: z.string(),
  created_at: time,
})

/** Uploads that resume, by the tus protocol 1.0, and links to files that can be revoked: what a service that keeps files of people says. */
export function fileContracts<const S extends ServiceName>(service: S) {
  const at = `/files/v1/${service}/~uploads` as const
  const mine = { access: 'user', rate: 'write', raw: true, reply: z.unknown() } as const
  return {
    createUpload: endpoint({ ...mine, method: 'POST', path: at, summary: 'Begins an upload (tus 1.0)' }),
    uploadOffset: endpoint({ ...mine, method: 'HEAD', path: `${at}/:upload`, params: upload, summary: 'How far an upload is' }),
    continueUpload: endpoint({
      ...mine,
      method: 'PATCH',
      path: `${at}/:upload`,
      params: upload,
      bytes: true,
      maxBytes: PIECE_BYTES,
      summary: 'The next piece of an upload, at most 32 MiB',
    }),
    deleteUpload: endpoint({ ...mine, method: 'DELETE', path: `${at}/:upload`, params: upload, summary: 'Gives an upload or a file up' }),
    listFiles: fn(`${service}-files`, {
      access: 'user',
      rate: 'read',
      summary: 'The files that a person keeps here, newest first, with the space they take',
      description: `${FILES_A_PAGE} at a time. \`q\` finds a part of the name; \`next\` is where the following page begins, null on the last.`,
      body: z.object({ q: z.string().max(200).optional(), after: z.uuid().nullish() }).prefault({}),
      reply: z.object({ files: z.array(KeptFile), next: z.uuid().nullable(), used_bytes: z.int(), quota_bytes: z.int() }),
    }),
    linkFile: fn(`${service}-file-link`, {
      access: 'user',
      summary: 'A link to a file, which can be revoked',
      body: z.object({ file_id: id('upload'), hours: z.int().min(1).max(720).default(24) }),
      reply: z.object({ link_id: id('file_link'), url: z.string(), expires_at: time }),
      errors: ['anonymous_no_address'],
    }),
    revokeLink: fn(`${service}-file-link-revoke`, {
      access: 'user',
      summary: 'Ends a link to a file at once',
      body: z.object({ link_id: id('file_link') }),
      reply: z.object({ revoked: z.boolean() }),
    }),
    openLink: endpoint({
      method: 'GET',
      path: `/files/v1/${service}/~links/:token`,
      access: 'public',
      rate: 'read',
      raw: true,
      params: z.object({ token: z.string().max(100) }),
      reply: z.unknown(),
      summary: 'The file behind a link',
    }),
  }
}

/** A picture of the Image Studio as a file of another service, which its own calls then take by its id: on a product, in an email. */
export const pictureCopy = <const S extends ServiceName>(service: S) =>
  fn(`${service}-file-from-picture`, {
    access: 'user',
    idempotent: 'two-phase',
    summary: 'Copies a picture of the Image Studio to the files that are kept here',
    description: 'The copy is a file of its own: it stays when the picture goes, and counts against the space of the plan.',
    body: z.object({
      picture_id: id('picture'),
      width: z.int().min(16).max(4096).optional().describe('A smaller width; the height follows'),
    }),
    reply: z.object({ file_id: id('upload'), name: z.string(), bytes: z.int() }),
    errors: ['not_found', 'storage_quota'],
  })

/** Looks at a finished file as a whole: its hash. */
export const inspectFile = (service: ServiceName) => job(`${service}.inspect_file`, z.object({ file_id: z.uuid() }), { attempts: 8 })
export const sweepFiles = (service: ServiceName) => job(`${service}.sweep_files`, z.object({}))
