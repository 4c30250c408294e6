# The Perl work: counts words of a text, groups them by pattern, and prints what stands out.
# usage: perl words.pl FILE
use strict;
use warnings;

my (%count, %after, %shape, $last);
open my $in, '<', $ARGV[0] or die "$ARGV[0]: $!\n";
while (my $line = <$in>) {
    for my $word (split ' ', lc $line) {
        $count{$word}++;
        $after{$last}{$word}++ if defined $last;
        (my $shape = $word) =~ s/[aeiou]/v/g;
        $shape =~ s/[^v]/c/g;
        push @{$shape{$shape}}, $word if $count{$word} == 1;
        $last = $word;
    }
}
my @top = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 9];
my $follow = join ' ', map { my $w = $_; (sort { $after{$w}{$b} <=> $after{$w}{$a} || $a cmp $b } keys %{$after{$w}})[0] } @top;
my $shapes = join ' ', map { scalar @{$shape{$_}} } sort { length $a <=> length $b || $a cmp $b } keys %shape;
print "perl: @top / $follow / ", length $shapes, "\n";
