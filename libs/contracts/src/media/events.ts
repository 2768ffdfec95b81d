import { z } from 'zod'
import { event, id, job, personal, plain, request } from '../contract.ts'
import { PictureModelName } from './shapes.ts'

const link = ({ picture_id }: { picture_id: string }) => `/dashboard/image-studio?image=${picture_id}` as const

export const imageMade = event(
  'media.image_made',
  z.object({
    picture_id: z.uuid(),
    prompt: personal(z.string()),
    model: PictureModelName,
    used_model: PictureModelName,
    width: z.int(),
    height: z.int(),
    cost_microusd: z.int(),
    duration_ms: z.int(),
  }),
  {
    trigger: { title: 'An image was made', description: 'With its id, its prompt, the model and the size.' },
    activity: ({ prompt }) => ({ command: `Image: ${prompt}`.slice(0, 200), status: 'completed' }),
    link,
  },
)

export const jobFailed = event(
  'media.job_failed',
  z.object({ picture_id: z.uuid(), prompt: personal(z.string()), model: PictureModelName, code: plain(z.string()) }),
  {
    trigger: { title: 'An image could not be made', description: 'With its prompt, the model and why.' },
    activity: ({ prompt }) => ({ command: `Image: ${prompt}`.slice(0, 200), status: 'failed' }),
    link: () => '/dashboard/image-studio',
  },
)

/** How far a picture is, with a rough preview now and then; to the open pages of its person. */
export const pictureProgress = event(
  'media.picture_progress',
  z.object({
    user_id: z.uuid(),
    picture_id: z.uuid(),
    state: plain(z.string()),
    percent: z.int(),
    /** Set when another model than the chosen one draws. */
    fell_back: z.boolean(),
    /** A small WebP, base64. It is shown and never stored. */
    preview: personal(z.string()).optional(),
  }),
  { delivery: 'broadcast', live: 'picture' },
)

/** A picture may be made in any instance; the one that has it stops. */
export const pictureStopped = event('media.picture_stopped', z.object({ picture_id: z.uuid() }), { delivery: 'broadcast' })

export const sweepPictures = job('media.sweep_pictures', z.object({}))

/** The bytes of a message on the bus are bounded, so a picture crosses it in pieces of this size. */
export const PICTURE_PIECE_BYTES = 512 * 1024

/** A picture of the actor's own as WebP, piece by piece, for a service that makes it a file of its own. */
export const readPicture = request(
  'media.read_picture',
  z.object({ picture_id: id('picture'), width: z.int().min(16).max(4096).nullish(), offset: z.int().min(0) }),
  z.object({
    name: z.string(),
    type: z.string(),
    /** Of the whole file. */
    bytes: z.int(),
    sha256: z.string(),
    piece: z.string().describe('From the offset on, base64'),
  }),
)

export const sweepRecordings = job('media.sweep_recordings', z.object({}))

/** The preview of the page behind a public link; null where the link is unknown or was revoked. It counts no view. */
export const sharedPage = request(
  'media.shared_page',
  z.object({ token: z.string().max(100) }),
  z.object({ picture: z.object({ url: z.string(), width: z.int(), height: z.int() }).nullable() }),
)
