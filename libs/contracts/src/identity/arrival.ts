/**
 * The confirmation page's own POST sets this cookie (SameSite=Strict, one minute, readable by scripts) to the id of the session it began.
 * The web app takes a session out of an address only where this browser asked for it or pressed the button, so a stranger's link replaces nobody's.
 */
export const pressedCookie = 'operon-pressed'
export const pressedSeconds = 60
