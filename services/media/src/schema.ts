import type { ImageStyle, PictureModel, PictureSize } from '@operon/contracts/media/images'
import type { VoiceName, WakeWord } from '@operon/contracts/media/speech'
import type { FilesDb } from '@operon/kit/files/schema'
import type { LaneDb } from '@operon/kit/lanes'
import type { Generated } from 'kysely'

type PictureState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

export type MediaDb = FilesDb &
  LaneDb & {
    /** A picture from its order on; once it is done its file is the row of `files` with the same id. */
    pictures: {
      id: string
      user_id: string
      batch_id: string
      /** The caller's idempotency key, so that a call that died finds its picture. */
      request_key: string | null
      state: Generated<PictureState>
      prompt: string
      style: ImageStyle | null
      model: PictureModel
      used_model: PictureModel
      answered_by: string | null
      size: PictureSize
      width: number
      height: number
      seed: number | null
      from_id: string | null
      /** Keys of what was brought along; they go a day after the end. */
      inputs: Generated<string[]>
      mask_key: string | null
      inputs_gone: Generated<boolean>
      /** Whether Gemini is asked when the model cannot draw. */
      may_fall_back: boolean
      sandbox: Generated<boolean>
      percent: Generated<number>
      reservation_id: string
      cost_microusd: Generated<number>
      /** Of the lease that works on it: who was overtaken changes nothing. */
      fence: Generated<number>
      /** Set before the provider is asked, so that whoever takes over knows that a picture may be there already. */
      asked_at: Date | null
      asked_times: Generated<number>
      /** The provider's id of the order, where it can be looked up by it. */
      provider_ref: string | null
      problem: string | null
      sha256: string | null
      type: string | null
      bytes: number | null
      thumbhash: string | null
      saved: Generated<boolean>
      created_at: Generated<Date>
      started_at: Date | null
      finished_at: Date | null
      deleted_at: Date | null
    }
    /** Finished pictures that were not deleted, by the month in which they were ordered (UTC). */
    picture_months: { user_id: string; month: Date; shown: number; saved: number }
    /** Copies with a public address: each is the row of `files` with the same id. `source_id` is the picture or upload that it shows. */
    public_pictures: { id: string; user_id: string; source_id: string; width: number; height: number; created_at: Generated<Date> }
    picture_shares: {
      id: string
      picture_id: string
      user_id: string
      created_at: Generated<Date>
      revoked_at: Date | null
      views: Generated<number>
    }
    boards: { id: string; user_id: string; name: string; created_at: Generated<Date>; deleted_at: Date | null }
    board_pictures: { board_id: string; picture_id: string; user_id: string; added_at: Generated<Date> }
    voice_settings: {
      user_id: string
      voice: VoiceName
      speaks: boolean
      wakes: Generated<boolean>
      wake_word: Generated<WakeWord>
      sensitivity: Generated<number>
      updated_at: Generated<Date>
    }
    /** The last ten of a person. */
    voice_commands: {
      id: string
      user_id: string
      command: string
      response: string
      confidence: number | null
      created_at: Generated<Date>
    }
    /** Made once for a text in a voice; played again while it is here. */
    recordings: {
      id: string
      user_id: string
      text_key: string
      model: string
      answered_by: string
      type: string
      ending: string
      bytes: number
      characters: number
      sandbox: boolean
      created_at: Generated<Date>
      used_at: Generated<Date>
    }
  }
