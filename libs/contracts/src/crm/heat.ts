// How warm a contact is. No zod here: the web app ships it.

/** The points of each kind of activity. They halve every 14 days. */
export const heatPoints = {
  sale: 60,
  booking: 24,
  reply: 18,
  message: 14,
  form: 12,
  click: 8,
  call: 8,
  open: 2,
  note: 0,
  email: 0,
  change: 0,
} as const
export type ActivityKind = keyof typeof heatPoints

export const HALF_LIFE_DAYS = 14
export const HOT_POINTS = 30
export const WARM_POINTS = 8
export const temperatures = ['hot', 'warm', 'cold'] as const
export type Temperature = (typeof temperatures)[number]
/** So long after its points were 30 a contact still has these. Whole points decide, as they are shown: 7.5 are 8. */
const daysUntil = (points: number) => HALF_LIFE_DAYS * Math.log2(HOT_POINTS / (points - 0.5))
export const HOT_DAYS = daysUntil(HOT_POINTS)
export const WARM_DAYS = daysUntil(WARM_POINTS)
