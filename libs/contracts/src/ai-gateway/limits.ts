// How long what a person sends may be, in characters. No zod here: the fields count along.
export const inputLimits = { chat: 200_000, analyst: 50_000, compare: 100_000, search: 200 } as const
