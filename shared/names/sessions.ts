/** The document of Session Manager with which ports are forwarded; AWS owns it. */
export const PORT_DOCUMENT = 'AWS-StartPortForwardingSession';
