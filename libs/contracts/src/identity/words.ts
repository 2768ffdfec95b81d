// No zod here: the sign-in page tells this refusal from the others of its code.
export const PASSKEY_REMOVED = 'This passkey was removed here. Sign in another way, then delete it from your device.'
