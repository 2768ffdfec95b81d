/** A changed text gets a new version; sign-up stores which version was accepted. Apart from the texts, so that the portal does without them. */
export const termsVersion = '1.0'
