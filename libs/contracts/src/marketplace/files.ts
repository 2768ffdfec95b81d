import { fileContracts } from '../files.ts'

// Files of products: uploads that resume, and links to them.

export const { createUpload, uploadOffset, continueUpload, deleteUpload, linkFile, revokeLink, openLink } = fileContracts('marketplace')
