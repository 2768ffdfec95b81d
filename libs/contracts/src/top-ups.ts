import { z } from 'zod'
import { event, request } from './contract.ts'
import { type TopUpUnit, topUpUnits } from './plans.ts'

// Between billing, which sells top-ups, and the services that meter their units.

/** The service that meters each unit. */
export const meteredBy = { prompts: 'ai-gateway', images: 'media', speech: 'media' } as const satisfies Record<TopUpUnit, string>
export type TopUpMeter = (typeof meteredBy)[TopUpUnit]

/** How many of a top-up's units are set aside or used so far, told by the meter. */
const topUpDrawn = <const S extends string>(service: S) =>
  event(`${service}.top_up_drawn`, z.object({ top_up_id: z.uuid(), drawn: z.int(), version: z.int() }))
export const aiTopUpDrawn = topUpDrawn('ai-gateway')
export const mediaTopUpDrawn = topUpDrawn('media')
export const drawnBy = { 'ai-gateway': aiTopUpDrawn, media: mediaTopUpDrawn } as const

/** Ends a top-up for good. Answers what was left of it, and the same to whoever asks again. */
const closeTopUp = <const S extends string>(service: S) =>
  request(
    `${service}.close_top_up`,
    z.object({ top_up_id: z.uuid(), user_id: z.uuid(), unit: z.enum(topUpUnits), units: z.int(), unit_microusd: z.int() }),
    z.object({ left: z.int() }),
  )
export const aiCloseTopUp = closeTopUp('ai-gateway')
export const mediaCloseTopUp = closeTopUp('media')
export const closedBy = { 'ai-gateway': aiCloseTopUp, media: mediaCloseTopUp } as const
