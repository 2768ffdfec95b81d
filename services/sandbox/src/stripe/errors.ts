type Details = {
  type?: string
  code?: string
  param?: string
  decline_code?: string
  payment_intent?: unknown
  charge?: string
  payment_method?: unknown
  setup_intent?: unknown
}

/** An error as Stripe words it on the wire. */
export class StripeError extends Error {
  readonly status: number
  readonly details: Details
  constructor(status: number, message: string, details: Details = {}) {
    super(message)
    this.status = status
    this.details = details
  }
  get body() {
    const { type = 'invalid_request_error', ...rest } = this.details
    return {
      error: {
        type,
        message: this.message,
        ...(rest.code ? { doc_url: `https://docs.stripe.com/error-codes/${rest.code.replaceAll('_', '-')}` } : {}),
        ...rest,
      },
    }
  }
}

export const missing = (what: string, id: string, param = 'id') =>
  new StripeError(404, `No such ${what}: '${id}'`, { code: 'resource_missing', param })
export const required = (param: string) => new StripeError(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param })
export const wrong = (message: string, param?: string, code?: string) =>
  new StripeError(400, message, { ...(param && { param }), ...(code && { code }) })
