#!/usr/bin/perl
# Asks the worker for a day's chart and prints it: day.pl [2024-06-04]. Needs ZMQ::FFI (Debian: libzmq-ffi-perl).
use v5.36;
use open qw(:std :encoding(UTF-8));
use JSON::PP;
use Time::HiRes qw(time);
use ZMQ::FFI qw(ZMQ_SUB ZMQ_REQ ZMQ_RCVTIMEO);

my $day     = shift // "2024-06-04";
my $id      = sprintf "pl-%.6f-%d", time, $$;
my $context = ZMQ::FFI->new;
my ($events, $commands) = map { $context->socket($_) } ZMQ_SUB, ZMQ_REQ;
$_->set_linger(0) for $events, $commands;
$events->connect($ENV{MARQUEE_EVENTS}     // "tcp://127.0.0.1:5552");
$commands->connect($ENV{MARQUEE_COMMANDS} // "tcp://127.0.0.1:5551");

sub receive ($socket, $seconds, $missing) {
    $socket->set(ZMQ_RCVTIMEO, "int", 1000 * $seconds);
    my @frames = eval { $socket->recv_multipart } or die "$missing\n";
    return @frames;
}

# The heartbeat last: once one arrives, all subscriptions are in force (see day.py).
$events->subscribe($_) for "ranking.day.all.$day", "request.done.$id", "request.failed.$id", "heartbeat.worker";
receive($events, 60, "no heartbeat from the worker");
$events->unsubscribe("heartbeat.worker");
$commands->send_multipart(["fetch.day", encode_json({ date => $day, id => $id })]);
my ($word, $receipt) = receive($commands, 60, "no receipt from the worker");
die "refused: $receipt\n" if $word ne "accepted";
while (my ($topic, $event) = receive($events, 60, "no outcome from the worker")) {
    my $data = decode_json($event)->{data};
    if ($topic =~ /^ranking/) { say join "\t", @$_{qw(rank title audience)} for $data->{entries}->@* }
    die "failed: $data->{error}{message}\n" if $topic =~ /^request.failed/;
    say "done, from the $data->{from}" and exit if $topic =~ /^request.done/;
}
