import { erasing } from '@operon/contracts/erasure'
import { mailSettings } from '@operon/kit/mail/mailer'
import { textSettings } from '@operon/kit/mail/texts'
import { z } from 'zod'

const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true')
const whole = (fallback: number) => z.coerce.number().int().min(1).default(fallback)
const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )

/** Identity's own settings, beside the kit's. */
export const IdentityConfig = z.object({
  NODE_ENV: z.string().default('development'),
  /** Addresses count as confirmed at sign-up. On in the all-in-one default, off otherwise. */
  AUTH_AUTOCONFIRM: flag(false),
  AUTH_DISABLE_SIGNUP: flag(false),
  AUTH_ANONYMOUS: flag(true),
  AUTH_PHONE: flag(true),
  AUTH_MANUAL_LINKING: flag(true),
  /** A JWK set with private keys, the signing one first. Without it a key is made and kept, sealed. */
  AUTH_JWK_SET: z.string().optional(),
  /** Phone numbers count as confirmed at once. As above: never where strangers can sign up. */
  AUTH_PHONE_AUTOCONFIRM: flag(false),
  /** Instead of the rule of the sign-up page: how long a password is at least, and sets of characters of which it needs one each, parted by `:` as in GoTrue; `none` for no sets. */
  AUTH_PASSWORD_MIN_LENGTH: z.coerce.number().int().min(6).max(128).optional(),
  AUTH_PASSWORD_REQUIRED_CHARACTERS: z.string().max(1000).optional(),
  /** Whether common, personal and leaked passwords are refused. */
  AUTH_PASSWORD_REFUSE_KNOWN: flag(true),
  /** Where links may lead beside PUBLIC_URL; `*` matches within a label or a segment, `**` across them. */
  AUTH_REDIRECT_ALLOW_LIST: list,
  /** Addresses that, once proven, carry the staff claim. */
  AUTH_STAFF_EMAILS: list,
  /** Whether those have to show a second factor. In production they do, unless this says otherwise. */
  AUTH_STAFF_SECOND_FACTOR: z.enum(['true', 'false']).optional(),
  /** A link in a letter opens a page whose button confirms, since mail scanners open links too. `false`: the link itself confirms and redirects. */
  AUTH_LINK_PAGE: flag(true),
  /** How long an account waits before its second factor is removed by email. */
  AUTH_FACTOR_RECOVERY_HOURS: whole(72),
  AUTH_TOKEN_SECONDS: whole(3600),
  AUTH_OTP_SECONDS: whole(3600),
  AUTH_CAPTCHA_URL: z.url().optional(),
  AUTH_CAPTCHA_SECRET: z.string().optional(),
  ...mailSettings,
  ...textSettings,
  AUTH_GOOGLE_CLIENT_ID: z.string().optional(),
  AUTH_GOOGLE_CLIENT_SECRET: z.string().optional(),
  /** Whom Apple's identity tokens are for: bundle and services ids, parted by commas. Sign-in by redirect is not offered with Apple. */
  AUTH_APPLE_CLIENT_ID: z.string().optional(),
  AUTH_FACEBOOK_CLIENT_ID: z.string().optional(),
  AUTH_FACEBOOK_CLIENT_SECRET: z.string().optional(),
  AUTH_GITHUB_CLIENT_ID: z.string().optional(),
  AUTH_GITHUB_CLIENT_SECRET: z.string().optional(),
  AUTH_MICROSOFT_CLIENT_ID: z.string().optional(),
  AUTH_MICROSOFT_CLIENT_SECRET: z.string().optional(),
  /** Sign-in providers without a key run in the sandbox. */
  AUTH_SANDBOX_OAUTH: flag(true),
  /** Opens a demo of their own to each visitor. Where real people come it only reads, with recorded answers. */
  DEMO_ACCOUNTS: z
    .enum(['true', 'false', 'on', 'off', '1', '0'])
    .default('false')
    .transform((value) => ['true', 'on', '1'].includes(value)),
  /** The services that hold something of a person, and so erase and export it: all, unless a deployment leaves some out. `none` where identity stands alone. */
  AUTH_ERASING_SERVICES: list
    .pipe(z.array(z.enum([...erasing, 'none'])))
    .transform((names) => (names.length ? erasing.filter((each) => names.includes(each)) : [...erasing])),
  LIMIT_SIGN_UP_PER_MINUTE: whole(30),
  LIMIT_APPS_PER_MINUTE: whole(10),
  LIMIT_SIGN_IN_PER_MINUTE: whole(60),
  LIMIT_PROFILES_PER_MINUTE: whole(30),
  LIMIT_REFRESH_AT_ONCE: whole(100),
  LIMIT_ANONYMOUS_PER_HOUR: whole(30),
  /** Demos of one address, and of everybody at once: the one that ends first makes room. */
  LIMIT_DEMOS_PER_HOUR: whole(20),
  LIMIT_DEMOS_OPEN: whole(200),
  LIMIT_VERIFY_PER_MINUTE: whole(30),
  /** Between two one-time messages of one kind to the same address. */
  LIMIT_MESSAGE_COOLDOWN_SECONDS: z.coerce.number().int().min(0).default(60),
  /** To one address, and for one account. */
  LIMIT_MAIL_PER_HOUR: whole(30),
  LIMIT_SMS_PER_HOUR: whole(10),
  /** Asked for from one network: an IPv4 /24 or an IPv6 /64. */
  LIMIT_MAIL_FROM_NETWORK_PER_HOUR: whole(300),
  LIMIT_SMS_FROM_NETWORK_PER_HOUR: whole(30),
  /** To one recipient domain; to one country code, and to numbers that differ in their last four digits alone. */
  LIMIT_MAIL_TO_DOMAIN_PER_HOUR: whole(2000),
  LIMIT_SMS_TO_COUNTRY_PER_HOUR: whole(250),
  LIMIT_SMS_TO_BLOCK_PER_HOUR: whole(30),
  /** All that is sent, and how much of it is kept for notices to owners about their own accounts. */
  LIMIT_MAIL_PLATFORM_PER_HOUR: whole(5000),
  LIMIT_SMS_PLATFORM_PER_HOUR: whole(500),
  LIMIT_MESSAGE_RESERVE_PERCENT: z.coerce.number().int().min(1).max(90).default(20),
  /** While messages would wait longer than this, no new ones are accepted from strangers. */
  LIMIT_MESSAGE_WAIT_MINUTES: whole(60),
})
export type IdentityConfig = z.output<typeof IdentityConfig>
